import { useId, useState } from "react"
import { usePreferences } from "../../session/preferences/use-preferences.ts"
import { fieldClass } from "../../ui/field.tsx"

const MAX_CHARS = 8000

/** The owner's own part of what a chat's model is told. Saved as the field is left. */
export function ChatInstructions() {
  const { preferences, change } = usePreferences()
  const [draft, setDraft] = useState<string | null>(null)
  const id = useId()

  function save(): void {
    if (draft !== null && draft !== preferences.system_extra) change({ system_extra: draft })
    setDraft(null)
  }

  return (
    <div className="border-t border-line py-4">
      <label htmlFor={id} className="mb-1 block font-semibold">
        Instructions for the chat
      </label>
      <textarea
        id={id}
        rows={2}
        maxLength={MAX_CHARS}
        value={draft ?? preferences.system_extra}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={save}
        aria-describedby={`${id}-note`}
        className={`${fieldClass} field-sizing-content block max-h-60 min-h-16 resize-none py-1.5 text-sm`}
      />
      <p id={`${id}-note`} className="mt-1 text-sm text-ink-3">
        The model is told this in every chat, beside Switchyard's own instructions. A change has the provider's cache
        written anew.
      </p>
    </div>
  )
}
