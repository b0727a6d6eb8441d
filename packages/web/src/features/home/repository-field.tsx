import { Field } from "../../ui/field.tsx"

interface Props {
  value: string
  onChange(value: string): void
  /** Repositories in which agents have worked before. */
  known: string[]
  wrong: string | null
  hint?: string
}

const OWN_FILES = "Enter a local path or Git URL, or leave empty to use the session's files."

export function RepositoryField({ value, onChange, known, wrong, hint = OWN_FILES }: Props) {
  return (
    <Field
      label="Repository"
      value={value}
      onChange={onChange}
      suggestions={known}
      placeholder="/home/you/project"
      hint={hint}
      error={wrong}
      verbatim
      className="min-w-0 flex-1"
    />
  )
}
