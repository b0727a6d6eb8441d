import { useState } from "react"
import { usePreferences } from "../../session/preferences/use-preferences.ts"
import { TextArea } from "../../ui/field.tsx"
import { KeyForm } from "./key-form.tsx"
import { KeyList } from "./key-list.tsx"
import { ModelPicker } from "./model-picker.tsx"

/** The model for the next run, the user's keys and what uses them, and instructions for the chat. */
export function KeysSection() {
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-4">
        <p className="font-semibold">Model for the next run</p>
        <ModelPicker className="ml-auto h-9 max-w-full border-strong bg-sheet" />
      </div>
      <section aria-labelledby="add-key" className="border-t border-line py-5">
        <h2 id="add-key" className="mb-3 text-lg">
          Add a key
        </h2>
        <KeyForm />
      </section>
      <section aria-labelledby="keys" className="border-t border-line pt-5 pb-4">
        <h2 id="keys" className="mb-2 text-lg">
          Providers
        </h2>
        <KeyList />
      </section>
      <ChatInstructions />
    </>
  )
}

const MAX_CHARS = 8000

/** The owner's additional instructions for the chat model. Saved when the field loses focus. */
function ChatInstructions() {
  const { preferences, change } = usePreferences()
  const [draft, setDraft] = useState<string | null>(null)

  function save(): void {
    if (draft !== null && draft !== preferences.system_extra) change({ system_extra: draft })
    setDraft(null)
  }

  return (
    <div className="border-t border-line py-4">
      <TextArea
        label="Chat instructions"
        hint="Added to Switchyard's own instructions in every chat. Editing this text resets the prompt cache."
        rows={2}
        maxLength={MAX_CHARS}
        value={draft ?? preferences.system_extra}
        onChange={setDraft}
        onBlur={save}
        className="field-sizing-content max-h-60 min-h-16 resize-none text-sm"
      />
    </div>
  )
}
