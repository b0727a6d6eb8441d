import { clsx } from "clsx"
import { type ComponentProps, type ReactNode, useId, useState } from "react"
import type { ZodError } from "zod"

export const fieldClass =
  "w-full rounded-md border border-strong bg-sheet px-3 text-ink disabled:text-ink-3 aria-invalid:border-err"

/** A control's label, and the text below it. */
interface LabelProps {
  label: string
  hint?: ReactNode
  /** Shown instead of the hint. */
  error?: string | null | undefined
}

interface LabelledProps extends LabelProps {
  className?: string | undefined
  /** Renders the control with the attributes that connect it to its label and note. */
  children(control: {
    id: string
    "aria-describedby"?: string | undefined
    "aria-invalid"?: true | undefined
  }): ReactNode
}

/** A control with a label above it, and a hint or error below. */
function Labelled({ label, hint, error, className, children }: LabelledProps) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-semibold">
        {label}
      </label>
      {children({
        id,
        "aria-describedby": note ? `${id}-note` : undefined,
        "aria-invalid": error ? true : undefined,
      })}
      {note && (
        <div
          id={`${id}-note`}
          role={error ? "alert" : undefined}
          className={clsx("mt-1 text-sm", error ? "text-err" : "text-ink-3")}
        >
          {note}
        </div>
      )}
    </div>
  )
}

interface FieldProps extends LabelProps, Omit<ComponentProps<"input">, "onChange" | "list"> {
  onChange(text: string): void
  /** Shown inside the field, at its end. */
  end?: ReactNode
  /** Suggested texts. Others can be typed. */
  suggestions?: readonly string[] | undefined
  /** For a name, path or command, which the browser must not correct or complete. */
  verbatim?: boolean
}

const VERBATIM = { spellCheck: false, autoCapitalize: "off", autoCorrect: "off", autoComplete: "off" }

export function Field({ label, hint, error, end, suggestions, verbatim, className, onChange, ...rest }: FieldProps) {
  const list = useId()
  return (
    <Labelled label={label} hint={hint} error={error} className={className}>
      {(control) => (
        <div className="relative">
          <input
            {...control}
            list={suggestions && list}
            onChange={({ target }) => onChange(target.value)}
            className={clsx(fieldClass, "h-9 max-md:h-11", end && "pr-11")}
            {...(verbatim && VERBATIM)}
            {...rest}
          />
          {end && <div className="absolute inset-y-0 right-0.5 flex items-center">{end}</div>}
          {suggestions && (
            <datalist id={list}>
              {suggestions.map((text) => (
                <option key={text}>{text}</option>
              ))}
            </datalist>
          )}
        </div>
      )}
    </Labelled>
  )
}

interface TextAreaProps extends LabelProps, Omit<ComponentProps<"textarea">, "onChange"> {
  onChange(text: string): void
}

/** Text field with several lines. `className` applies to the text. */
export function TextArea({ label, hint, error, className, onChange, ...rest }: TextAreaProps) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(control) => (
        <textarea
          {...control}
          onChange={({ target }) => onChange(target.value)}
          className={clsx(fieldClass, "block py-1.5", className)}
          {...rest}
        />
      )}
    </Labelled>
  )
}

/** A value, with its label if that differs. */
export type Option = string | readonly [value: string, text: string]

interface SelectProps extends LabelProps {
  value: string
  onChange(value: string): void
  options?: readonly Option[]
  /** Groups of options, after the others. */
  children?: ReactNode
  wrong?: boolean
  disabled?: boolean
  className?: string | undefined
}

export function SelectField({ value, onChange, options = [], children, wrong, disabled, ...labelled }: SelectProps) {
  return (
    <Labelled {...labelled}>
      {(control) => (
        <select
          {...control}
          {...(wrong && { "aria-invalid": true })}
          value={value}
          disabled={disabled}
          onChange={({ target }) => onChange(target.value)}
          className={`${fieldClass} h-9 pr-1 pl-2 max-md:h-11`}
        >
          <Options of={options} />
          {children}
        </select>
      )}
    </Labelled>
  )
}

/** Returns numbers to choose from, including the chosen one. */
export function numbersWith(numbers: readonly number[], chosen: number): string[] {
  return [...new Set([...numbers, chosen])].sort((a, b) => a - b).map(String)
}

export function Options({ of }: { of: readonly Option[] }) {
  return of.map((option) => {
    const [value, text] = typeof option === "string" ? [option, option] : option
    return (
      <option key={value} value={value}>
        {text}
      </option>
    )
  })
}

interface ChoiceProps<T extends string>
  extends Omit<ComponentProps<typeof SelectField>, "value" | "onChange" | "options" | "children"> {
  /** Labels of the values, in order. */
  of: Readonly<Record<T, string>>
  value: T
  onChange(value: NoInfer<T>): void
}

/** Labelled select for a few fixed values. */
export function ChoiceField<T extends string>({ of, onChange, ...field }: ChoiceProps<T>) {
  return <SelectField {...field} options={Object.entries<string>(of)} onChange={(chosen) => onChange(chosen as T)} />
}

/**
 * Connects a form's fields to its values. Returns a function that takes a value's name and returns the props for its
 * field.
 */
export function fieldsOf<T extends object>(
  form: T,
  change: (changed: Partial<T>) => void,
  faults: Partial<Record<string, string | null>> = {},
) {
  return <K extends keyof T & string>(name: K) => ({
    value: form[name],
    error: faults[name],
    onChange: (value: T[K]) => change({ [name]: value } as unknown as Partial<T>),
  })
}

/** Holds a form's values and errors. `field` takes a value's name and returns the props for its field. */
export function useFields<T extends object>(initial: T | (() => T)) {
  const [form, setForm] = useState(initial)
  const [faults, setFaults] = useState<Partial<Record<string, string>>>({})
  const edit = (changed: Partial<T>) => setForm((before) => ({ ...before, ...changed }))
  return { form, setForm, edit, faults, setFaults, field: fieldsOf(form, edit, faults) }
}

/** Returns a form's errors by field, as worded by the schema. */
export function formErrors(error: ZodError): Partial<Record<string, string>> {
  return Object.fromEntries(error.issues.map(({ path, message }) => [String(path[0]), message]))
}
