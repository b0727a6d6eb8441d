import { type ClipboardEvent, type KeyboardEvent, Suspense, useEffect, useRef, useState } from "react"
import { useCommand } from "../../session/context/commands.ts"
import { useBrowser, useToast } from "../../session/context/studio.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useReadOnly } from "../../session/view/use-read-only.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Plus, Square, X } from "../../ui/icons.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import { StatusIcon } from "../../ui/status-icon.tsx"
import { isSubmitKey, isTouchScreen } from "../../ui/submit-key.ts"
import { ModelPicker } from "../models/model-picker.tsx"
import { type DraftStore, useDraft } from "../run/prompt/use-draft-prompt.ts"
import { StartRefusal } from "../usage/start-refusal.tsx"
import { AddressChips } from "./address-chips.tsx"
import { CacheNotice } from "./cache-notice.tsx"
import type { ChatMessage } from "./use-chat.ts"
import type { ChatActions } from "./use-chat-actions.ts"
import { useChatContext } from "./use-chat-context.ts"

const SnippetsDialog = lazyPart(async () => (await import("./snippets-dialog.tsx")).SnippetsDialog)

const MAX_IMAGES = 5
const MAX_IMAGE_BYTES = 2.5 * 1024 * 1024
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"]

interface Props {
  session: SessionStore
  actions: ChatActions
  messages: ChatMessage[]
  draft: DraftStore
  /** Whether nothing can be sent for now, for another reason than a turn. */
  isHeld: boolean
}

/** The next message, with its images, and the button that sends it or stops the turn. */
export function ChatComposer({ session, actions, messages, draft: store, isHeld }: Props) {
  const draft = useDraft(store)
  const { write: onWrite } = store
  const field = useRef<HTMLTextAreaElement>(null)
  /** The selection with which the field was left; null where it never had the focus. */
  const left = useRef<[number, number] | null>(null)
  const picker = useRef<HTMLInputElement>(null)
  const [images, setImages] = useState<string[]>([])
  const [excluded, setExcluded] = useState<string[]>([])
  const [hasSnippets, setHasSnippets] = useState(false)
  const recall = useRecall(messages, draft, onWrite)
  const toast = useToast()
  const enterSends = useBrowser((state) => state.preferences.enter_sends)
  const turn = useSessionData(session, ({ live }) => live.chat?.turn ?? null)
  const pages = useChatContext(session)?.pages ?? []
  const readOnly = useReadOnly(session)
  const isBusy = turn !== null && !turn.isSettled
  const canSend = !isBusy && !isHeld && actions.sending === null && readOnly === null && draft.trim() !== ""
  const stop = isBusy ? () => void actions.stop(turn.requestId) : null

  async function submit(): Promise<void> {
    if (!canSend) return
    const message = draft
    onWrite("")
    setImages([])
    if (await actions.send({ message, images, excluded_urls: excluded })) return setExcluded([])
    onWrite(message)
    setImages(images)
  }
  useCommand("chat-stop", "Stop the answer", stop)

  // The message that could not be confirmed is in the conversation, so it isn't to be sent again.
  const { arrived, forgetArrived } = actions
  useEffect(() => {
    if (arrived?.message !== draft) return
    onWrite("")
    setImages([])
    setExcluded([])
    forgetArrived()
  }, [arrived, draft, onWrite, forgetArrived])

  // When a turn is complete the field has the focus again, unless the reader is elsewhere.
  const wasBusy = useRef(isBusy)
  useEffect(() => {
    if (wasBusy.current && !isBusy && document.activeElement === document.body) field.current?.focus()
    wasBusy.current = isBusy
  }, [isBusy])

  async function attach(files: Iterable<File>): Promise<void> {
    const fitting = [...files].filter((file) => IMAGE_TYPES.includes(file.type) && file.size <= MAX_IMAGE_BYTES)
    if (fitting.length < [...files].length) toast("Images are PNG, JPEG, GIF or WebP, of up to 2.5 MB.", "err")
    const uris = await Promise.all(fitting.map(dataUri))
    setImages((before) => [...before, ...uris].slice(0, MAX_IMAGES))
  }

  function paste(event: ClipboardEvent): void {
    const files = [...event.clipboardData.files]
    if (files.length === 0) return
    event.preventDefault()
    attach(files)
  }

  function press(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (isSubmitKey(event.nativeEvent, { enterSends, touch: isTouchScreen() })) {
      event.preventDefault()
      submit()
    } else if (event.key === "Escape" && stop) stop()
    else recall(event)
  }

  function insert(text: string): void {
    const [from, to] = left.current ?? [draft.length, draft.length]
    onWrite(draft.slice(0, from) + text + draft.slice(to))
  }

  return (
    <>
      <form
        aria-label="Next message"
        className="bg-paper px-4 pb-3"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          attach([...event.dataTransfer.files])
        }}
      >
        <div className="mx-auto max-w-[760px]">
          {actions.error !== null && <StartRefusal error={actions.error} className="mb-2" />}
          {!isBusy && draft.trim() !== "" && <CacheNotice session={session} />}
          <div className="rounded-md border border-strong bg-sheet focus-within:outline-2 focus-within:outline-accent">
            <label htmlFor="chat-message" className="unseen">
              Message
            </label>
            <textarea
              ref={field}
              id="chat-message"
              rows={2}
              value={draft}
              readOnly={readOnly !== null}
              onChange={(event) => onWrite(event.target.value)}
              onKeyDown={press}
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
            {images.length > 0 && (
              <ul className="flex flex-wrap gap-2 px-3 pb-1">
                {images.map((image, at) => (
                  <li key={`${at.toString()} ${image.length}`} className="relative">
                    <img src={image} alt="" className="h-16 rounded-sm border border-line" />
                    <button
                      type="button"
                      aria-label={`Remove image ${at + 1}`}
                      onClick={() => setImages(images.filter((_, other) => other !== at))}
                      className="absolute -top-1.5 -right-1.5 inline-flex size-6 items-center justify-center rounded-full border border-strong bg-sheet max-md:size-11"
                    >
                      <X size={12} aria-hidden />
                    </button>
                  </li>
                ))}
              </ul>
            )}
            <div className="flex items-center gap-1 p-1.5">
              <input
                ref={picker}
                type="file"
                accept={IMAGE_TYPES.join(",")}
                multiple
                hidden
                onChange={({ target }) => {
                  attach([...(target.files ?? [])])
                  target.value = ""
                }}
              />
              <Button size="sm" tone="quiet" onClick={() => picker.current?.click()}>
                <Plus size={14} aria-hidden /> Image
              </Button>
              <Button size="sm" tone="quiet" onClick={() => setHasSnippets(true)}>
                Snippets
              </Button>
              <ModelPicker compact className="h-8 border-transparent" />
              <span className="ml-auto">
                {isBusy ? (
                  <Button onClick={stop ?? undefined}>
                    <Square size={13} aria-hidden /> Stop
                  </Button>
                ) : (
                  <Button type="submit" tone="primary" disabled={!canSend}>
                    {actions.sending !== null && <StatusIcon state="busy" label={null} />}
                    Send
                  </Button>
                )}
              </span>
            </div>
          </div>
        </div>
      </form>
      {hasSnippets && (
        <Suspense>
          <SnippetsDialog draft={draft} onInsert={insert} onClose={() => setHasSnippets(false)} />
        </Suspense>
      )}
    </>
  )
}

/** The arrows at the field's ends go through the messages that were sent. */
function useRecall(messages: ChatMessage[], draft: string, onWrite: (draft: string) => void) {
  const [at, setAt] = useState<number | null>(null)
  const sent = messages
    .filter(({ role, system_event }) => role === "user" && !system_event)
    .map(({ content }) => content)
  return (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart, selectionEnd } = event.currentTarget
    const isRecalled = at !== null && draft === sent[at]
    const isAtStart = selectionStart === 0 && selectionEnd === 0
    if (event.key === "ArrowUp" && (isAtStart || isRecalled) && sent.length > 0) {
      const next = isRecalled ? Math.max(0, at - 1) : sent.length - 1
      if (!isRecalled && draft !== "") return
      event.preventDefault()
      setAt(next)
      onWrite(sent[next] ?? "")
    }
    if (event.key === "ArrowDown" && isRecalled) {
      event.preventDefault()
      const next = at + 1 < sent.length ? at + 1 : null
      setAt(next)
      onWrite(next === null ? "" : (sent[next] ?? ""))
    }
  }
}

function dataUri(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.onload = () => resolve(String(reader.result))
  reader.onerror = () => reject(reader.error)
  reader.readAsDataURL(file)
  return promise
}
