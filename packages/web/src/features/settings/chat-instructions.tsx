import { useState } from "react"
import { usePreferences } from "../../session/preferences/use-preferences.ts"
import { TextArea } from "../../ui/text-area.tsx"

const MAX_CHARS = 8000

/** The owner's own part of what a chat's model is told. Saved as the field is left. */
export function ChatInstructions() {
  const { preferences, change } = usePreferences()
  const [draft, setDraft] = useState<string | null>(null)

  function save(): void {
    if (draft !== null && draft !== preferences.system_extra) change({ system_extra: draft })
    setDraft(null)
  }

  return (
    <div className="border-t border-line py-4">
      <TextArea
        label="Instructions for the chat"
        hint="The model is told this in every chat, beside Switchyard's own instructions. A change has the provider's cache written anew."
        rows={2}
        maxLength={MAX_CHARS}
        value={draft ?? preferences.system_extra}
        onChange={({ target }) => setDraft(target.value)}
        onBlur={save}
        className="field-sizing-content max-h-60 min-h-16 resize-none text-sm"
      />
    </div>
  )
}
