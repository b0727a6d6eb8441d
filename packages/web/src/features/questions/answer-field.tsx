import { useId } from "react"
import { fieldClass } from "../../ui/field.tsx"

interface Props {
  label: string
  placeholder: string
  text: string
  blocked: boolean
  onWrite(text: string): void
}

/** A single-line field for an answer, with a label only for screen readers. */
export function AnswerField({ label, placeholder, text, blocked, onWrite }: Props) {
  const id = useId()
  return (
    <>
      <label htmlFor={id} className="unseen">
        {label}
      </label>
      <input
        id={id}
        value={text}
        maxLength={4000}
        disabled={blocked}
        onChange={(event) => onWrite(event.target.value)}
        placeholder={placeholder}
        className={`${fieldClass} h-7 min-w-0 flex-1 basis-64 px-2 text-sm max-md:h-11`}
      />
    </>
  )
}
