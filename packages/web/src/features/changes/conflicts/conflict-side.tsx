import { clsx } from "clsx"

interface Props {
  name: string
  /** Null if this side doesn't have the region. */
  text: string | null
  on: boolean
  tall?: boolean
}

/** The lines of one side, below its name. */
export function ConflictSide({ name, text, on, tall }: Props) {
  return (
    <div
      className={clsx(
        "min-w-0 border-line max-lg:not-first:border-t lg:not-first:border-l",
        on ? "bg-accent-bg" : "bg-sheet",
      )}
    >
      <p className="border-b border-line px-2 py-0.5 text-xs text-ink-2">
        {name}
        {on && <span className="unseen">, chosen</span>}
      </p>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
        tabIndex={0}
        className={clsx(
          "overflow-y-auto px-2 py-1 font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere] -outline-offset-2",
          tall ? "max-h-[50vh]" : "max-h-80",
        )}
      >
        {text === null ? <em className="text-ink-3">nothing</em> : text}
      </pre>
    </div>
  )
}
