import { useMemo } from "react"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/notice.tsx"
import { useGrownAbove } from "../../ui/use-grown-above.ts"
import { MessageList } from "../conversation/message-list.tsx"
import type { Expansion } from "../conversation/use-expanded.ts"
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
  onRetry: ((text: string) => void) | null
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

const keyOf = ({ key }: Row) => key

/** The conversation of a chat. */
export function Messages(props: Props) {
  const { sessionId } = useShownSession()
  const { messages, files, sending, earlier, branches, compaction, moments } = props
  const paths = useMemo(() => files.map(({ path }) => path), [files])
  const isLive = useIsAnswering()
  const rows = useMemo(
    () => rowsOf(messages, { branches, compaction, sending, isLive }),
    [messages, branches, compaction, sending, isLive],
  )

  const draw = (row: Row, { isExpanded, toggle }: Expansion) => {
    const fold = { expanded: isExpanded(row.key), onToggle: () => toggle(row.key) }
    switch (row.type) {
      case "sending":
        return <p className="ml-auto w-fit max-w-[88%] rounded-md bg-well px-3 py-2 whitespace-pre-wrap">{row.text}</p>
      case "live":
        return <LiveAnswer inFlight={props.inFlight} onOpen={props.onOpen} />
      case "message":
        return row.message.role === "user" ? (
          <QuestionRow message={row.message} onRewind={moments?.onRewind ?? null} {...fold} />
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
    <MessageList
      subject={sessionId}
      label="Conversation"
      rows={rows}
      keyOf={keyOf}
      grown={useGrownAbove(rows, keyOf)}
      moment={null}
      isSending={sending !== null}
      column="mx-auto w-full max-w-[760px] px-4"
      gapOf={() => "py-2.5"}
      header={
        earlier && (
          <p className="text-center">
            <Button size="sm" tone="quiet" disabled={earlier.isLoading} onClick={earlier.load}>
              {earlier.isLoading ? "Loading…" : "Show earlier messages"}
            </Button>
          </p>
        )
      }
      empty={
        <Empty title="What do you want to know?">
          Ask about the files or request a change. The model reads selected files in full.
        </Empty>
      }
    >
      {draw}
    </MessageList>
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
  const sizes = `${count(before)} → ${count(after)} tokens`
  if (summary === "") {
    return (
      <p className="border-y border-line py-1.5 text-sm text-ink-3 nums">
        New topic. The model no longer sees the messages above ({sizes}).
      </p>
    )
  }
  return (
    <details className="border-y border-line py-1.5 text-sm text-ink-3">
      <summary className="cursor-pointer nums">The model sees a summary of the messages above ({sizes}).</summary>
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
  if (turn?.isCompacting) return { text: "", state: "Summarizing earlier messages" }
  if (!turn || turn.isAnswered) return turn && !turn.isSettled ? { text: "", state: "Applying edits" } : null
  const isWhole = answer?.runId === turn.runId && answer.isWhole
  const text = isWhole ? answer.text : (inFlight ?? "")
  const state = text !== "" ? "Answering" : thinking > 0 ? "Thinking" : "Waiting for the model"
  return { text, state }
}
