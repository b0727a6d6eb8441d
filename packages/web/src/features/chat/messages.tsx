import { useEffect, useMemo, useRef } from "react"
import { VList } from "virtua"
import { useStudio } from "../../session/context/studio.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/notice.tsx"
import { UnreadButton } from "../../ui/unread-button.tsx"
import { useGrownAbove } from "../../ui/use-grown-above.ts"
import { useStickToBottom } from "../run/log/use-stick-to-bottom.ts"
import { CompactionRow } from "./compaction-row.tsx"
import { AnswerRow, BranchRow, LiveRow, QuestionRow } from "./message-rows.tsx"
import type { ChatBranch, ChatCompaction, ChatMessage } from "./use-chat.ts"
import { useIsAnswering, useLiveAnswer } from "./use-live-answer.ts"

interface Props {
  session: SessionStore
  messages: ChatMessage[]
  files: readonly { path: string }[]
  /** The message that is on its way to the server. */
  sending: string | null
  /** The answer so far, as the server had it when the page was loaded. */
  inFlight: string | null
  selected: ReadonlySet<string>
  /** The messages before those that are loaded; null if there are none. */
  earlier: { load(): void; isLoading: boolean } | null
  onOpen(path: string): void
  onAdd: ((paths: string[]) => void) | null
  onCompose(text: string): void
  branches: readonly ChatBranch[]
  compaction: ChatCompaction | null
  /** Null while nothing can be changed. */
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
  const { session, messages, files, sending, earlier, selected, branches, compaction, moments } = props
  const frame = useRef<HTMLDivElement>(null)
  const { api } = useStudio()
  const paths = useMemo(() => files.map(({ path }) => path), [files])
  const isLive = useIsAnswering(session)
  const hasEarlier = earlier !== null
  const rows = useMemo(
    () => rowsOf(messages, { branches, compaction, sending, isLive }),
    [messages, branches, compaction, sending, isLive],
  )
  const listed = useMemo(() => (hasEarlier ? [EARLIER, ...rows] : rows), [rows, hasEarlier])
  const { isGrown, above } = useGrownAbove(rows, keyOf)
  const { unread, toEnd } = useStickToBottom(frame, {
    count: rows.length - above,
    subject: session.sessionId,
    moment: null,
  })
  const isSending = sending !== null
  // Of a message that was just sent, the reader wants to see the answer, wherever they read before.
  useEffect(() => {
    if (isSending) toEnd()
  }, [isSending, toEnd])
  const imageUrl = (path: string) => {
    const sha256 = path.slice("artifacts/".length)
    return api.url("GET /api/v1/sessions/{id}/artifacts/{sha256}", { path: { id: session.sessionId, sha256 } })
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
        return <LiveAnswer session={session} inFlight={props.inFlight} onOpen={props.onOpen} />
      case "message":
        return row.message.role === "user" ? (
          <QuestionRow message={row.message} imageUrl={imageUrl} onRewind={moments?.onRewind ?? null} />
        ) : (
          <AnswerRow
            {...props}
            message={row.message}
            paths={paths}
            selected={selected}
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

/** The answer that arrives, drawn anew with each piece of it, without the rest of the conversation. */
function LiveAnswer({ session, inFlight, onOpen }: Pick<Props, "session" | "inFlight" | "onOpen">) {
  const live = useLiveAnswer(session, inFlight)
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
      // A way was left where the conversation went on.
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
