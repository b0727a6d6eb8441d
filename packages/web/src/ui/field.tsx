import { clsx } from "clsx"
import { type InputHTMLAttributes, type ReactNode, useId } from "react"

export const fieldClass =
  "w-full rounded-md border border-strong bg-sheet px-3 text-ink disabled:text-ink-3 aria-invalid:border-err"

interface Props extends InputHTMLAttributes<HTMLInputElement> {
  label: string
  hint?: ReactNode
  error?: string | null
  /** Shown inside the field, at its end. */
  end?: ReactNode
}

/** A text field with a label above it and its error below. */
export function Field({ label, hint, error, end, className, ...rest }: Props) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-semibold">
        {label}
      </label>
      <div className="relative">
        <input
          id={id}
          aria-describedby={note ? `${id}-note` : undefined}
          aria-invalid={error ? true : undefined}
          className={clsx(fieldClass, "h-9 max-md:h-11", end && "pr-11")}
          {...rest}
        />
        {end && <div className="absolute inset-y-0 right-0.5 flex items-center">{end}</div>}
      </div>
      {note && (
        <p
          id={`${id}-note`}
          role={error ? "alert" : undefined}
          className={clsx("mt-1 text-sm", error ? "text-err" : "text-ink-3")}
        >
          {note}
        </p>
      )}
    </div>
  )
}
