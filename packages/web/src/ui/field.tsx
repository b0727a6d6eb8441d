import { clsx } from "clsx"
import { type InputHTMLAttributes, type ReactNode, useId } from "react"

export const fieldClass =
  "w-full rounded-md border border-strong bg-sheet px-3 text-ink disabled:text-ink-3 aria-invalid:border-err"

/** A control's label, and the text below it. */
export interface LabelProps {
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
export function Labelled({ label, hint, error, className, children }: LabelledProps) {
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

interface Props extends LabelProps, Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "list"> {
  onChange(text: string): void
  /** Shown inside the field, at its end. */
  end?: ReactNode
  /** Suggested texts. Others can be typed. */
  suggestions?: readonly string[] | undefined
  /** For a name, path or command, which the browser must not correct or complete. */
  verbatim?: boolean
}

const VERBATIM = { spellCheck: false, autoCapitalize: "off", autoCorrect: "off", autoComplete: "off" }

export function Field({ label, hint, error, end, suggestions, verbatim, className, onChange, ...rest }: Props) {
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
