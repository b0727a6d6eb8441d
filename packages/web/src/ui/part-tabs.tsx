import { clsx } from "clsx"

interface Props<T extends string> {
  legend: string
  parts: readonly T[]
  shown: NoInfer<T>
  onShow(part: NoInfer<T>): void
  className?: string
}

/** Buttons that switch between the parts of a screen, for when there isn't room for all of them. */
export function PartTabs<T extends string>({ legend, parts, shown, onShow, className }: Props<T>) {
  return (
    <fieldset className={clsx("flex border-b border-line", className)}>
      <legend className="unseen">{legend}</legend>
      {parts.map((part) => (
        <button
          key={part}
          type="button"
          aria-pressed={part === shown}
          onClick={() => onShow(part)}
          className="min-h-11 flex-1 border-b-2 border-transparent text-sm text-ink-2 aria-pressed:border-accent aria-pressed:font-semibold aria-pressed:text-ink"
        >
          {part}
        </button>
      ))}
    </fieldset>
  )
}
