import { type ReactNode, useId } from "react"

interface Props {
  label: ReactNode
  hint?: ReactNode
  value: boolean
  onChange(value: boolean): void
}

export function Checkbox({ label, hint, value, onChange }: Props) {
  const id = useId()
  return (
    <div className="flex min-w-0 items-start gap-2.5 py-0.5 max-md:py-2">
      <span className="relative mt-0.5 size-[18px] shrink-0 max-md:size-6">
        <input
          id={id}
          type="checkbox"
          checked={value}
          onChange={(event) => onChange(event.target.checked)}
          aria-describedby={hint ? `${id}-hint` : undefined}
          className="peer size-full cursor-pointer appearance-none rounded-sm border border-strong bg-sheet checked:border-accent checked:bg-accent"
        />
        <svg
          viewBox="0 0 16 16"
          fill="none"
          strokeWidth="2.5"
          aria-hidden="true"
          className="pointer-events-none absolute inset-0 hidden stroke-sheet peer-checked:block"
        >
          <path d="m3.5 8.5 3 3 6-7" strokeLinecap="round" strokeLinejoin="round" />
        </svg>
      </span>
      <div className="min-w-0">
        <label htmlFor={id} className="cursor-pointer">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-sm text-ink-3">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
