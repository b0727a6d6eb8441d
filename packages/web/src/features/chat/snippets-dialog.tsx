import { useState } from "react"
import { list, number, object, text } from "../../api/decode.ts"
import { useReplacement, useResponse } from "../../session/context/requests.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Field, TextArea, useFields } from "../../ui/field.tsx"
import { Form } from "../../ui/form.tsx"
import { ErrorNotice, Skeleton } from "../../ui/notice.tsx"
import { Trash2 } from "../../ui/session-icons.tsx"

interface Props {
  /** The current message, used as the text of a new snippet. */
  draft: string
  onInsert(text: string): void
  onClose(): void
}

/** Texts that the user often writes. A click inserts one into the message, and each can be changed. */
export function SnippetsDialog({ draft, onInsert, onClose }: Props) {
  const { snippets, error, isSaving, save } = useSnippets()
  const [edited, setEdited] = useState<{ at: number; snippet: Snippet } | null>(null)
  const all = snippets ?? []
  const keep = async (snippet: Snippet, at: number) => {
    const changed = at < all.length ? all.map((one, other) => (other === at ? snippet : one)) : [...all, snippet]
    if (await save(changed)) setEdited(null)
  }

  return (
    <Dialog
      title="Snippets"
      onClose={onClose}
      actions={
        edited === null && (
          <Button
            tone="primary"
            disabled={!snippets}
            onClick={() => setEdited({ at: all.length, snippet: { title: "", text: draft.trim() } })}
          >
            New snippet
          </Button>
        )
      }
    >
      <ErrorNotice error={error} className="mb-3" />
      {edited ? (
        <SnippetForm
          key={edited.at}
          snippet={edited.snippet}
          isSaving={isSaving}
          onSave={(snippet) => keep(snippet, edited.at)}
          onCancel={() => setEdited(null)}
        />
      ) : (
        <>
          {!snippets && !error && <Skeleton lines={3} />}
          {snippets?.length === 0 && (
            <p className="text-ink-2">Save text you use often, then insert it into your messages.</p>
          )}
          <ul aria-label="Snippets" className="flex flex-col">
            {all.map((snippet, at) => (
              <li key={`${at.toString()} ${snippet.title}`} className="flex items-center gap-1">
                <button
                  type="button"
                  onClick={() => {
                    onInsert(snippet.text)
                    onClose()
                  }}
                  className="flex min-h-11 min-w-0 flex-1 flex-col rounded-sm px-2 py-1.5 text-left hover:bg-well"
                >
                  <span className="max-w-full truncate">{snippet.title}</span>
                  <span className="max-w-full truncate text-xs text-ink-3">{snippet.text}</span>
                </button>
                <Button
                  size="sm"
                  tone="quiet"
                  aria-label={`Edit ${snippet.title}`}
                  onClick={() => setEdited({ at, snippet })}
                >
                  Edit
                </Button>
                <IconButton
                  label={`Delete ${snippet.title}`}
                  disabled={isSaving}
                  onClick={() => void save(all.filter((_, other) => other !== at))}
                >
                  <Trash2 size={14} aria-hidden />
                </IconButton>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  )
}

const MAX_TITLE = 80
const MAX_TEXT = 2000

interface FormProps {
  snippet: Snippet
  isSaving: boolean
  onSave(snippet: Snippet): void
  onCancel(): void
}

function SnippetForm({ snippet, isSaving, onSave, onCancel }: FormProps) {
  const { form, field } = useFields({ ...snippet, text: snippet.text.slice(0, MAX_TEXT) })
  const { title, text } = form
  const isBlocked = isSaving || title.trim() === "" || text.trim() === ""
  return (
    <Form
      aria-label="Snippet"
      className="flex flex-col gap-4"
      blocked={isBlocked}
      onSubmit={() => onSave({ title: title.trim(), text })}
    >
      <Field label="Name" autoFocus maxLength={MAX_TITLE} {...field("title")} />
      <TextArea
        label="Text"
        rows={5}
        maxLength={MAX_TEXT}
        {...field("text")}
        className="field-sizing-content max-h-60 min-h-28 resize-none"
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" tone="primary" disabled={isBlocked}>
          Save
        </Button>
      </div>
    </Form>
  )
}

const KEY = ["snippets"]
const Stored = object({ snippets: list(object({ title: text, text })), version: number })

/** A text that the user often writes in chats. */
interface Snippet {
  title: string
  text: string
}

/** Returns the user's snippets, which are the same in every session. */
function useSnippets() {
  const stored = useResponse(KEY, "GET /api/v1/config/snippets", { response: Stored })
  const saving = useReplacement(KEY, (api, snippets: Snippet[]) => {
    const body = { snippets, version: stored.data?.version ?? 0 }
    return api.call("PUT /api/v1/config/snippets", { body, response: Stored })
  })
  return {
    snippets: stored.data?.snippets,
    error: stored.error ?? saving.error,
    isSaving: saving.isPending,
    /** Replaces all snippets. Resolves to true on success. */
    save: (snippets: Snippet[]): Promise<boolean> =>
      saving.mutateAsync(snippets).then(
        () => true,
        () => false,
      ),
  }
}
