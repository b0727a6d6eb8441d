import { useId } from "react"
import { Field } from "../../ui/field.tsx"

interface Props {
  value: string
  onChange(value: string): void
  /** Repositories that agents have worked in before. */
  known: string[]
  wrong: string | null
  hint?: string
}

const OWN_FILES = "Local path or Git URL. Leave empty to use the session's files."

/** Selects the repository. */
export function RepositoryField({ value, onChange, known, wrong, hint = OWN_FILES }: Props) {
  const id = useId()
  return (
    <div className="min-w-0 flex-1">
      <Field
        label="Repository"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        list={id}
        placeholder="/home/you/project"
        hint={hint}
        error={wrong}
        spellCheck={false}
        autoCapitalize="off"
      />
      <datalist id={id}>
        {known.map((repository) => (
          <option key={repository} value={repository} />
        ))}
      </datalist>
    </div>
  )
}
