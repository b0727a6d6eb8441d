import type { RefObject } from "react"
import { useIsNew } from "./use-is-new.ts"

interface Props {
  of: readonly string[]
  draft: { write(text: string): void }
  field: RefObject<HTMLTextAreaElement | null>
}

/** Example prompts for new users. Choosing one writes it into the draft, where it can be edited. */
export function Examples({ of, draft, field }: Props) {
  const isNew = useIsNew()
  if (!isNew) return null
  const choose = (example: string) => {
    draft.write(example)
    field.current?.focus()
  }
  return (
    <ul aria-label="Examples" className="mt-3 flex flex-wrap gap-2">
      {of.map((example) => (
        <li key={example} className="min-w-0">
          <button
            type="button"
            className="min-h-8 rounded-md border border-line px-2.5 py-1 text-left text-sm text-ink-2 hover:border-strong hover:text-ink max-md:min-h-11"
            onClick={() => choose(example)}
          >
            {example}
          </button>
        </li>
      ))}
    </ul>
  )
}
