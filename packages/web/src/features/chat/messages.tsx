import { useEffect, useMemo, useRef } from "react"
import { VList } from "virtua"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/notice.tsx"
import { UnreadButton } from "../../ui/unread-button.tsx"
import { useGrownAbove } from "../../ui/use-grown-above.ts"
import { useStickToBottom } from "../../ui/use-stick-to-bottom.ts"
import { count } from "./count.ts"
import { AnswerRow, BranchRow, LiveRow, QuestionRow } from "./message-rows.tsx"
import type { ChatBranch, ChatCompaction, ChatMessage } from "./use-chat.ts"

interface Props {
  messages: ChatMessage[]
  files: readonly { path: string }[]
  /** Message being sent to the server. */
  sending: string | null
  /** Partial answer that the server had when the page was loaded. */
  inFlight: string | null
  selected: ReadonlySet<string>
  /** Loads messages before those already loaded; null if there are none. */
  earlier: { load(): void; isLoading: boolean } | null
  onOpen(path: string): void
  onAdd: ((paths: string[]) => void) | null
  onCompose(text: string): void
  branches: readonly ChatBranch[]
  compaction: ChatCompaction | null
  /** Null if nothing can be changed now. */
  moments: {
    onRewind(message: ChatMessage): void
    onFork(message: ChatMessage): void
    onUndo(message: ChatMessage): void
    onReturn(branch: ChatBranch): void
  } | null
}

type Row =
  | { type: "message"; key: string; message: ChatMessage; isLast: boolean }
  | { type: "branch"; key: string; branch: ChatBranch }
  | { type: "compaction"; key: string; compaction: ChatCompaction }
  | { type: "sending"; key: string; text: string }
  | { type: "live"; key: string }
  | { type: "earlier"; key: string }

const EARLIER: Row = { type: "earlier", key: "earlier" }

const keyOf = ({ key }: Row) => key

/** The conversation, windowed. Follows its end unless the reader has scrolled away. */
export function Messages(props: Props) {
  const { sessionId, api } = useShownSession()
  const { messages, files, sending, earlier, branches, compaction, moments } = props
  const frame = useRef<HTMLDivElement>(null)
  const paths = useMemo(() => files.map(({ path }) => path), [files])
  const isLive = useIsAnswering()
  const hasEarlier = earlier !== null
  const rows = useMemo(
    () => rowsOf(messages, { branches, compaction, sending, isLive }),
    [messages, branches, compaction, sending, isLive],
  )
  const listed = useMemo(() => (hasEarlier ? [EARLIER, ...rows] : rows), [rows, hasEarlier])
  const { isGrown, above } = useGrownAbove(rows, keyOf)
  const { unread, toEnd } = useStickToBottom(frame, {
    count: rows.length - above,
    subject: sessionId,
    moment: null,
  })
  const isSending = sending !== null
  // After sending a message, the reader wants to see the answer, wherever they were reading before.
  useEffect(() => {
    if (isSending) toEnd()
  }, [isSending, toEnd])
  const imageUrl = (path: string) => {
    const sha256 = path.slice("artifacts/".length)
    return api.url("GET /api/v1/sessions/{id}/artifacts/{sha256}", { path: { id: sessionId, sha256 } })
  }

  const draw = (row: Row) => {
    switch (row.type) {
      case "earlier":
        return (
          <p className="text-center">
            <Button size="sm" tone="quiet" disabled={earlier?.isLoading} onClick={() => earlier?.load()}>
              {earlier?.isLoading ? "Loading …" : "Show earlier messages"}
            </Button>
          </p>
        )
      case "sending":
        return <p className="ml-auto w-fit max-w-[88%] rounded-md bg-well px-3 py-2 whitespace-pre-wrap">{row.text}</p>
      case "live":
        return <LiveAnswer inFlight={props.inFlight} onOpen={props.onOpen} />
      case "message":
        return row.message.role === "user" ? (
          <QuestionRow message={row.message} imageUrl={imageUrl} onRewind={moments?.onRewind ?? null} />
        ) : (
          <AnswerRow
            {...props}
            message={row.message}
            paths={paths}
            isLast={row.isLast}
            onFork={moments?.onFork ?? null}
            onUndo={moments?.onUndo ?? null}
          />
        )
      case "compaction":
        return <CompactionRow compaction={row.compaction} />
      case "branch":
        return <BranchRow branch={row.branch} onReturn={moments?.onReturn ?? null} />
    }
  }

  return (
    <div ref={frame} className="relative min-h-0">
      {rows.length === 0 ? (
        <Empty title="What do you want to know?">
          Ask about the files, or for a change. Select the files that matter on the left: the model reads those in full.
        </Empty>
      ) : (
        <VList
          data={listed}
          shift={isGrown}
          role="log"
          aria-live="off"
          aria-label="Conversation"
          tabIndex={0}
          className="py-3"
        >
          {(row) => (
            <div key={row.key} className="mx-auto w-full max-w-[760px] px-4 py-2.5">
              {draw(row)}
            </div>
          )}
        </VList>
      )}
      <UnreadButton count={unread} onGo={toEnd} />
    </div>
  )
}

/** The arriving answer, which re-renders with each piece without the rest of the conversation. */
function LiveAnswer({ inFlight, onOpen }: Pick<Props, "inFlight" | "onOpen">) {
  const live = useLiveAnswer(inFlight)
  return live && <LiveRow text={live.text} state={live.state} onOpen={onOpen} />
}

interface RowOptions {
  branches: readonly ChatBranch[]
  compaction: ChatCompaction | null
  sending: string | null
  isLive: boolean
}

function compactionRow(compaction: ChatCompaction): Row {
  return { type: "compaction", key: `compaction ${compaction.seq}`, compaction }
}

function branchRow(branch: ChatBranch): Row {
  return { type: "branch", key: `branch ${branch.seq}`, branch }
}

function rowsOf(messages: ChatMessage[], options: RowOptions): Row[] {
  const { branches, compaction, sending, isLive } = options
  const firstRead = compaction && messages.find(({ seq }) => seq >= compaction.kept_from)
  const last = messages.findLast(({ role }) => role === "assistant")
  return [
    ...messages.flatMap((message, at): Row[] => {
      const isLast = message === last && !isLive && sending === null
      const from = at === 0 ? Number.NEGATIVE_INFINITY : message.seq
      const to = messages[at + 1]?.seq ?? Number.POSITIVE_INFINITY
      // Show the abandoned branch where the conversation continued differently.
      const left = branches.filter(({ to_seq }) => to_seq >= from && to_seq < to)
      return [
        ...(compaction && message === firstRead && at > 0 ? [compactionRow(compaction)] : []),
        { type: "message", key: String(message.seq), message, isLast },
        ...left.map(branchRow),
      ]
    }),
    ...(messages.length === 0 ? branches.map(branchRow) : []),
    ...(sending === null ? [] : [{ type: "sending" as const, key: "sending", text: sending }]),
    ...(isLive ? [{ type: "live" as const, key: "live" }] : []),
  ]
}

/** Marks where the model starts reading the conversation unshortened. */
function CompactionRow({ compaction }: { compaction: ChatCompaction }) {
  const { summary, tokens_before: before, tokens_after: after } = compaction
  const sizes = `${count(before)} tokens became ${count(after)}`
  if (summary === "") {
    return (
      <p className="border-y border-line py-1.5 text-sm text-ink-3 nums">
        A new topic: the model no longer reads what is above. {sizes}.
      </p>
    )
  }
  return (
    <details className="border-y border-line py-1.5 text-sm text-ink-3">
      <summary className="cursor-pointer nums">The model reads a summary of what is above: {sizes}.</summary>
      <p className="mt-1.5 whitespace-pre-wrap text-ink-2">{summary}</p>
    </details>
  )
}

/** Returns true if an answer is arriving or being prepared. Doesn't change with each word. */
function useIsAnswering(): boolean {
  return useSessionData(({ live }) => {
    const turn = live.chat?.turn
    return turn != null && (turn.isCompacting || !turn.isAnswered || !turn.isSettled)
  })
}

/** Returns the arriving answer and its current state; null if there is none. */
function useLiveAnswer(inFlight: string | null): { text: string; state: string } | null {
  const turn = useSessionData(({ live }) => live.chat?.turn ?? null)
  const answer = useSessionData(({ liveText }) => liveText.answer)
  const thinking = useSessionData(({ liveText }) => liveText.answer?.thinking ?? 0)
  if (turn?.isCompacting) return { text: "", state: "Summarising the conversation" }
  if (!turn || turn.isAnswered) return turn && !turn.isSettled ? { text: "", state: "Applying the edits" } : null
  const isWhole = answer?.runId === turn.runId && answer.isWhole
  const text = isWhole ? answer.text : (inFlight ?? "")
  const state = text !== "" ? "Answering" : thinking > 0 ? "Thinking" : "Asking the model"
  return { text, state }
}
