import { useId } from "react"

interface Props<T extends string> {
  legend: string
  options: readonly T[]
  value: T
  onChange(value: T): void
  /** Returns the label of an option; by default, the option itself. */
  label?(option: T): string
}

/** A choice between a few options that are all visible. */
export function Segments<T extends string>({ legend, options, value, onChange, label = (option) => option }: Props<T>) {
  const group = useId()
  return (
    <fieldset className="flex w-fit shrink-0 rounded-md border border-strong">
      <legend className="unseen">{legend}</legend>
      {options.map((name) => (
        <label
          key={name}
          className="relative flex h-8 cursor-pointer items-center px-3.5 max-sm:px-2.5 text-sm text-ink-2 first-of-type:rounded-l-[4px] last-of-type:rounded-r-[4px] hover:text-ink has-checked:bg-accent-bg has-checked:font-semibold has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent max-md:h-11"
        >
          <input
            type="radio"
            name={group}
            className="unseen"
            checked={value === name}
            onChange={() => onChange(name)}
          />
          {label(name)}
        </label>
      ))}
    </fieldset>
  )
}
