import { clsx } from "clsx"
import { type ClipboardEvent, useId, useLayoutEffect, useRef, useState } from "react"
import { useToast } from "../../session/context/studio.ts"
import { Button } from "../../ui/button.tsx"
import { editOf, type Feedback, feedbackOn } from "./open-part-state.ts"
import { countChars, pastedPart, wholeText } from "./prompt-text.ts"

interface Props {
  title: string
  locked: string
  standard: string
  limit: number
  /** The user's text; undefined if the default applies. */
  written: string | undefined
  /** Stores the text; null restores the default. Returns false if there was no room. */
  onWrite(text: string | null): boolean
}

/** The editable part of a prompt. It is stored while it is being typed, and used by the next run. */
export function OpenPart({ title, locked, standard, limit, written, onWrite }: Props) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const caret = useRef<number | null>(null)
  const [feedback, setFeedback] = useState<Feedback | null>(null)
  const text = written ?? standard
  const chars = countChars(text)

  // Replacing a cut text would move the caret to the end.
  useLayoutEffect(() => {
    if (caret.current !== null) field.current?.setSelectionRange(caret.current, caret.current)
    caret.current = null
  })

  function write(next: string) {
    const edit = editOf(text, next, { standard, limit })
    caret.current = edit.caret
    setFeedback(feedbackOn(edit, { limit, saved: onWrite(edit.stored) }))
  }

  function reset() {
    onWrite(null)
    setFeedback({ text: "Reset to default", bad: false, undo: text })
    field.current?.focus()
  }

  function pasted(event: ClipboardEvent) {
    const part = pastedPart(event.clipboardData.getData("text/plain"), locked)
    if ("text" in part && part.text === event.clipboardData.getData("text/plain")) return
    event.preventDefault()
    if ("text" in part) return write(part.text)
    setFeedback({ text: "Couldn't paste: the fixed section has been changed", bad: true })
  }

  return (
    <div className="flex flex-1 flex-col pt-1">
      <div className="mb-1.5 flex min-h-7 flex-wrap items-center gap-x-2">
        <label htmlFor={id} className="text-sm font-semibold">
          Editable section<span className="unseen">: {title}</span>
        </label>
        <span className="text-sm text-ink-3">{written === undefined ? "Default" : "Overrides the default"}</span>
        <CopyWhole text={wholeText(locked, text)} />
        <Button size="sm" tone="quiet" disabled={written === undefined} onClick={reset}>
          Reset to default
        </Button>
      </div>
      <textarea
        id={id}
        ref={field}
        value={text}
        onChange={(event) => write(event.target.value)}
        onPaste={pasted}
        aria-describedby={`${id}-count`}
        className="field-sizing-content block max-h-[50vh] min-h-44 w-full flex-1 resize-none rounded-md border border-strong bg-sheet px-3 py-2 font-mono text-sm leading-normal"
      />
      <div className="flex min-h-6 items-center justify-between gap-3 pt-1 text-xs nums">
        <FeedbackLine feedback={feedback} onUndo={write} />
        <p
          id={`${id}-count`}
          className={clsx("shrink-0", chars >= limit * 0.95 ? "font-semibold text-err" : "text-ink-3")}
        >
          {chars.toLocaleString()} / {limit.toLocaleString()}
        </p>
      </div>
    </div>
  )
}

function FeedbackLine({ feedback, onUndo }: { feedback: Feedback | null; onUndo(text: string): void }) {
  const undo = feedback?.undo
  return (
    <p role="status" className={feedback?.bad ? "text-err" : "text-ink-3"}>
      {feedback?.text}
      {undo !== undefined && (
        <button type="button" onClick={() => onUndo(undo)} className="ml-2 min-h-6 text-accent underline">
          Undo
        </button>
      )}
    </p>
  )
}

function CopyWhole({ text }: { text: string }) {
  const toast = useToast()
  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      toast("Copied both sections. If you paste them here, only the editable section is used.")
    } catch {
      toast("Your browser blocked copying. Select the text and copy it.", "err")
    }
  }
  return (
    <Button size="sm" tone="quiet" className="ml-auto" onClick={copy}>
      Copy all
    </Button>
  )
}
