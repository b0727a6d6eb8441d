import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from "react"
import { useCommand } from "../../session/context/commands.ts"
import { MessageField } from "../../session/context/message-field.tsx"
import { type DraftStore, useDraft } from "../../session/view/use-draft-prompt.ts"
import { useReadOnly, useSessionData } from "../../session/view/use-session.ts"
import { Form } from "../../ui/form.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import { ImageStrip } from "../conversation/image-strip.tsx"
import { StartRefusal } from "../usage/start-refusal.tsx"
import { AddressChips } from "./address-chips.tsx"
import { CacheNotice } from "./cache-notice.tsx"
import { ComposerBar } from "./composer-bar.tsx"
import type { ChatMessage } from "./use-chat.ts"
import type { ChatActions } from "./use-chat-actions.ts"
import { useChatContext } from "./use-chat-context.ts"
import { useImages } from "./use-images.ts"
import { useRecall } from "./use-recall.ts"

const SnippetsDialog = lazyPart(async () => (await import("./snippets-dialog.tsx")).SnippetsDialog)

interface Props {
  actions: ChatActions
  messages: ChatMessage[]
  draft: DraftStore
  /** True if nothing can be sent now for a reason other than a turn. */
  isHeld: boolean
}

/** The next message and its images, and the button that sends it or stops the turn. */
export function ChatComposer({ actions, messages, draft: store, isHeld }: Props) {
  const draft = useDraft(store)
  const { write } = store
  const field = useRef<HTMLTextAreaElement>(null)
  /** Selection when the field lost the focus; null if it never had it. */
  const left = useRef<[number, number] | null>(null)
  const { images, setImages, attach } = useImages()
  const [excluded, setExcluded] = useState<string[]>([])
  const [hasSnippets, setHasSnippets] = useState(false)
  const recall = useRecall(messages, draft, write)
  const turn = useSessionData(({ live }) => live.chat?.turn ?? null)
  const pages = useChatContext()?.pages ?? []
  const readOnly = useReadOnly()
  const isBusy = turn !== null && !turn.isSettled
  const canSend = !isBusy && !isHeld && actions.sending === null && readOnly === null && draft.trim() !== ""
  const stop = isBusy ? () => void actions.stop(turn.requestId) : null
  useCommand("chat-stop", "Stop the answer", stop)

  async function submit(): Promise<void> {
    if (!canSend) return
    const message = draft
    write("")
    setImages([])
    if (await actions.send({ message, images, excluded_urls: excluded })) return setExcluded([])
    write(message)
    setImages(images)
  }

  // The unconfirmed message turned out to be in the conversation, so it must not be sent again.
  const { arrived, forgetArrived } = actions
  useEffect(() => {
    if (arrived?.message !== draft) return
    write("")
    setImages([])
    setExcluded([])
    forgetArrived()
  }, [arrived, draft, write, forgetArrived, setImages])

  // When a turn is complete, the field gets the focus back, unless the reader is elsewhere.
  const wasBusy = useRef(isBusy)
  useEffect(() => {
    if (wasBusy.current && !isBusy && document.activeElement === document.body) field.current?.focus()
    wasBusy.current = isBusy
  }, [isBusy])

  function paste(event: ClipboardEvent): void {
    const files = [...event.clipboardData.files]
    if (files.length === 0) return
    event.preventDefault()
    attach(files)
  }

  function press(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === "Escape" && stop) stop()
    else recall(event)
  }

  function insert(text: string): void {
    const [from, to] = left.current ?? [draft.length, draft.length]
    write(draft.slice(0, from) + text + draft.slice(to))
  }

  return (
    <>
      <Form
        aria-label="Next message"
        className="bg-paper px-4 pb-3"
        onSubmit={submit}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          attach(event.dataTransfer.files)
        }}
      >
        <div className="mx-auto max-w-[760px]">
          {actions.error !== null && <StartRefusal error={actions.error} className="mb-2" />}
          {!isBusy && draft.trim() !== "" && <CacheNotice />}
          <div className="rounded-md border border-strong bg-sheet focus-within:outline-2 focus-within:outline-accent">
            <MessageField
              label="Message"
              ref={field}
              rows={2}
              value={draft}
              readOnly={readOnly !== null}
              onChange={write}
              onKeyDown={press}
              onSubmit={submit}
              onPaste={paste}
              onBlur={({ target }) => {
                left.current = [target.selectionStart, target.selectionEnd]
              }}
              placeholder="Ask, or paste an error or an image"
              className="block field-sizing-content max-h-60 min-h-16 w-full resize-none bg-transparent px-3 pt-2 outline-none read-only:text-ink-2"
            />
            <AddressChips
              draft={draft}
              excluded={excluded}
              onExclude={setExcluded}
              pages={pages}
              onForget={actions.forgetPage}
            />
            <ImageStrip
              images={images.map((src, at) => ({ key: `${at} ${src.length}`, src, alt: "", name: `image ${at + 1}` }))}
              onRemove={(at) => setImages(images.toSpliced(at, 1))}
              className="px-3 pb-1"
            />
            <ComposerBar
              onImages={attach}
              onSnippets={() => setHasSnippets(true)}
              onStop={stop}
              canSend={canSend}
              sending={actions.sending !== null}
            />
          </div>
        </div>
      </Form>
      {hasSnippets && <SnippetsDialog draft={draft} onInsert={insert} onClose={() => setHasSnippets(false)} />}
    </>
  )
}
