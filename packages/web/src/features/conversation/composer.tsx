import { type ClipboardEvent, type KeyboardEvent, type ReactNode, type RefObject, useEffect, useState } from "react"
import { MessageField } from "../../session/context/message-field.tsx"
import { Button } from "../../ui/button.tsx"
import { fieldClass } from "../../ui/field.tsx"
import { Form } from "../../ui/form.tsx"
import { CornerDownLeft } from "../../ui/icons.tsx"
import { ErrorNotice } from "../../ui/notice.tsx"
import { ImageStrip } from "./image-strip.tsx"
import { MentionList, useMentions } from "./mention-list.tsx"
import { insertMention, mentionAt } from "./mentions.ts"
import type { useAttachments } from "./use-attachments.ts"

interface Props {
  field: RefObject<HTMLTextAreaElement | null>
  label: string
  placeholder: string
  text: string
  onWrite(text: string): void
  /** Why nothing can be sent; null if something can. */
  readOnly: string | null
  sending: boolean
  error: string | null
  onSend(): void
  attachments: ReturnType<typeof useAttachments>
  /** Paths that can be mentioned. */
  files: readonly string[]
  /** Called with the text after the `@` while a mention is being typed; null otherwise. */
  onMention(query: string | null): void
  /** Called on Shift+Tab; null if it should move the focus as usual. */
  onMode: (() => void) | null
  /** Shown below the field: the mode, and the number of queued messages. */
  children: ReactNode
}

/** Field for the next message: text, images that are pasted or dropped, and files mentioned with `@`. */
export function Composer({
  field,
  label,
  text,
  onWrite,
  readOnly,
  sending,
  error,
  onSend,
  attachments,
  files,
  onMention,
  ...rest
}: Props) {
  const [caret, setCaret] = useState(0)
  const mention = mentionAt(text, caret)
  const query = mention?.query ?? null
  const mentions = useMentions(files, query)
  useEffect(() => onMention(query), [onMention, query])
  const isEmpty = text.trim() === "" && attachments.images.length === 0
  const blocked = readOnly !== null || sending || isEmpty || attachments.isUploading

  function choose(path: string): void {
    if (!mention) return
    const next = insertMention(text, mention, path)
    onWrite(next.text)
    setCaret(next.caret)
    requestAnimationFrame(() => field.current?.setSelectionRange(next.caret, next.caret))
  }

  function pressed(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (mentions.pressed(event, choose)) return
    if (event.key === "Tab" && event.shiftKey && rest.onMode) {
      event.preventDefault()
      rest.onMode()
    }
    // Outside the field, letters are shortcuts again.
    if (event.key === "Escape") event.currentTarget.closest<HTMLElement>("[data-region]")?.focus()
  }

  function submit(): void {
    if (!blocked) onSend()
  }

  function pasted(event: ClipboardEvent): void {
    const images = [...event.clipboardData.files].filter(({ type }) => type.startsWith("image/"))
    if (images.length === 0) return
    event.preventDefault()
    attachments.add(images)
  }

  return (
    <Form className="relative mx-auto w-full max-w-[852px] p-2" onSubmit={submit}>
      <MentionList mentions={mentions} onChoose={choose} />
      <ImageStrip
        images={attachments.images.map(({ id, name, preview, path }) => ({
          ...{ key: id, src: preview, alt: name, name, busy: path === null },
        }))}
        onRemove={attachments.remove}
        className="mb-2"
      />
      {attachments.error && (
        <p role="alert" className="mb-1.5 text-xs text-err">
          {attachments.error}
        </p>
      )}
      <div className="flex items-end gap-2">
        <MessageField
          label={label}
          ref={field}
          rows={1}
          value={text}
          readOnly={readOnly !== null}
          placeholder={rest.placeholder}
          onChange={(next) => {
            onWrite(next)
            setCaret(field.current?.selectionStart ?? next.length)
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={pressed}
          onSubmit={submit}
          onPaste={pasted}
          {...mentions.field}
          className={`${fieldClass} field-sizing-content block max-h-48 min-h-9 resize-none py-1.5 read-only:text-ink-2 max-md:min-h-11 max-md:py-2.5`}
        />
        <Button
          type="submit"
          tone="primary"
          disabled={blocked}
          aria-label={`Send to ${label.replace(/^Message to /, "")}`}
        >
          <CornerDownLeft size={14} aria-hidden />
        </Button>
      </div>
      <div className="mt-1.5 flex min-h-6 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-3">
        {rest.children}
      </div>
      <ErrorNotice error={error} className="mt-2" />
    </Form>
  )
}
