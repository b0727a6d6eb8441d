import { clsx } from "clsx"
import { useId } from "react"

const row = "grid items-center gap-x-6 gap-y-2 border-t border-line py-4 sm:grid-cols-[minmax(0,1fr)_auto]"

interface ChoiceProps<T extends string> {
  legend: string
  options: Record<T, string>
  value: T
  onChange(option: T): void
}

/** A row of radio buttons. */
export function Choice<T extends string>({ legend, options, value, onChange }: ChoiceProps<T>) {
  const name = useId()
  return (
    <fieldset className={row}>
      <legend className="contents">
        <span className="font-semibold">{legend}</span>
      </legend>
      <div className="flex flex-wrap rounded-md border border-strong bg-sheet">
        {Object.entries<string>(options).map(([option, label]) => (
          <label
            key={option}
            className={clsx(
              "flex h-8 cursor-pointer items-center justify-center px-3 max-sm:flex-1 text-sm first:rounded-l-[4px] last:rounded-r-[4px] max-md:h-11 not-first:border-l not-first:border-strong",
              "has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
              option === value ? "bg-accent-bg font-semibold text-ink" : "text-ink-2 hover:bg-well hover:text-ink",
            )}
          >
            <input
              type="radio"
              name={name}
              checked={option === value}
              onChange={() => onChange(option as T)}
              className="unseen"
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

interface SwitchProps {
  label: string
  hint?: string
  value: boolean
  onChange(value: boolean): void
}

/** A switch that takes effect immediately. */
export function Switch({ label, hint, value, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div className={clsx(row, "max-sm:grid-cols-[minmax(0,1fr)_auto]")}>
      <div>
        <label htmlFor={id} className="cursor-pointer font-semibold">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-sm text-ink-3">
            {hint}
          </p>
        )}
      </div>
      <button
        id={id}
        type="button"
        role="switch"
        aria-checked={value}
        aria-describedby={hint && `${id}-hint`}
        onClick={() => onChange(!value)}
        className="flex h-6 w-11 items-center justify-self-end max-md:h-11"
      >
        <span
          className={clsx(
            "flex h-6 w-11 rounded-full border p-[3px]",
            value ? "justify-end border-accent bg-accent" : "border-strong bg-sheet",
          )}
        >
          <span className={clsx("size-4 rounded-full", value ? "bg-sheet" : "bg-strong")} />
        </span>
      </button>
    </div>
  )
}
