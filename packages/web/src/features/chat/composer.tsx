import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { useCommand } from "../../session/context/commands.ts"
import { type DraftStore, useDraft } from "../../session/view/use-draft-prompt.ts"
import { useReadOnly, useSessionData } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Composer } from "../conversation/composer.tsx"
import { StopButton } from "../conversation/stop-button.tsx"
import { MAX_IMAGES } from "../images/attached-image.ts"
import { useImages } from "../images/use-images.ts"
import { ModelPicker } from "../models/model-picker.tsx"
import { AddressChips } from "./address-chips.tsx"
import { CacheNotice } from "./cache-notice.tsx"
import type { ChatMessage } from "./use-chat.ts"
import type { ChatActions } from "./use-chat-actions.ts"
import { useChatContext } from "./use-chat-context.ts"
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
  const attached = useImages()
  const { images, replace } = attached
  const [excluded, setExcluded] = useState<string[]>([])
  const [hasSnippets, setHasSnippets] = useState(false)
  const recall = useRecall(messages, draft, write)
  const turn = useSessionData(({ live }) => live.chat?.turn ?? null)
  const pages = useChatContext()?.pages ?? []
  const readOnly = useReadOnly()
  const isBusy = turn !== null && !turn.isSettled
  const canSend = !isBusy && !isHeld && actions.sending === null && readOnly === null && draft.trim() !== ""
  const stop = isBusy ? () => void actions.stop(turn.requestId) : null
  useCommand("chat-stop", "Stop generating", stop)

  async function submit(): Promise<void> {
    if (!canSend) return
    const message = draft
    write("")
    replace([])
    if (await actions.send({ message, images, excluded_urls: excluded })) return setExcluded([])
    // What was written or attached meanwhile follows.
    write([message, store.read()].filter(Boolean).join("\n\n"))
    replace((added) => [...images, ...added].slice(0, MAX_IMAGES))
  }

  // The unconfirmed message turned out to be in the conversation, so it must not be sent again.
  const { arrived, forgetArrived } = actions
  useEffect(() => {
    if (arrived?.message !== draft) return
    write("")
    replace([])
    setExcluded([])
    forgetArrived()
  }, [arrived, draft, write, forgetArrived, replace])

  // When a turn is complete, the field gets the focus back, unless the reader is elsewhere.
  const wasBusy = useRef(isBusy)
  useEffect(() => {
    if (wasBusy.current && !isBusy && document.activeElement === document.body) field.current?.focus()
    wasBusy.current = isBusy
  }, [isBusy])

  function press(event: KeyboardEvent<HTMLTextAreaElement>): void {
    recall(event)
    if (event.key !== "Escape" || !stop) return
    event.preventDefault()
    stop()
  }

  function insert(text: string): void {
    const [from, to] = left.current ?? [draft.length, draft.length]
    write(draft.slice(0, from) + text + draft.slice(to))
  }

  return (
    <>
      <Composer
        name="Next message"
        className="mx-auto w-full max-w-[792px] px-4 pb-3"
        command="Send message"
        label="Message"
        ref={field}
        rows={2}
        value={draft}
        readOnly={readOnly !== null}
        onChange={write}
        onKeyDown={press}
        onBlur={({ target }) => {
          left.current = [target.selectionStart, target.selectionEnd]
        }}
        placeholder="Ask a question, or paste an error or image"
        action="Send"
        onSend={canSend ? submit : null}
        busy={actions.sending !== null && "Send"}
        // Called, not rendered, so that the same button stays, with its focus.
        stop={stop && StopButton({ onClick: stop })}
        error={actions.error}
        images={attached}
        above={!isBusy && draft.trim() !== "" && <CacheNotice />}
        attached={
          <AddressChips
            draft={draft}
            excluded={excluded}
            onExclude={setExcluded}
            pages={pages}
            onForget={actions.forgetPage}
          />
        }
      >
        <Button size="sm" tone="quiet" onClick={() => setHasSnippets(true)}>
          Snippets
        </Button>
        <ModelPicker compact className="h-8 border-transparent" />
      </Composer>
      {hasSnippets && <SnippetsDialog draft={draft} onInsert={insert} onClose={() => setHasSnippets(false)} />}
    </>
  )
}
