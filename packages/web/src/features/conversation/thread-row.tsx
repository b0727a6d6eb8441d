import { formatDuration } from "@switchyard/core/text/format"
import { questionTitle } from "@switchyard/core/work/headlines/question-title"
import { clsx } from "clsx"
import { memo } from "react"
import { withoutSummary } from "../../session/stream/agent-text.ts"
import type { ThreadItem } from "../../session/stream/thread.ts"
import { ChevronDown, StatusIcon } from "../../ui/icons.tsx"
import { Markdown, StreamedMarkdown } from "../../ui/markdown/markdown.tsx"
import { ChevronRight } from "../../ui/more-icons.tsx"
import { shortTime } from "../../ui/time.ts"
import { MessageCard } from "./message-card.tsx"
import { ToolCard } from "./tool-card.tsx"

interface Props {
  item: ThreadItem
  /** True if the turn that it belongs to is over. */
  isOver: boolean
  isExpanded(key: string): boolean
  onToggle(key: string): void
}

/** A row of a conversation. Memoised, so it re-renders only when it changes. */
export const ThreadRow = memo(function ThreadRow({ item, isOver, isExpanded, onToggle }: Props) {
  const key = String(item.seq)
  switch (item.type) {
    case "told": {
      const sender = senderOf(item.source)
      return (
        <MessageCard
          isOwn={sender === null}
          label={sender === null ? "You" : `From ${sender}`}
          isNameless={sender === null}
          text={item.text}
          images={item.images.map((sha256) => ({ path: `artifacts/${sha256}` }))}
          ts={item.ts}
          expanded={isExpanded(key)}
          onToggle={() => onToggle(key)}
        />
      )
    }
    case "said":
      return <AgentText text={item.text} isWriting={item.isWriting} />
    case "thought":
      return <Thought text={item.text} expanded={isExpanded(key)} onToggle={() => onToggle(key)} />
    case "tool":
      return (
        <ToolCard call={item.call} isOver={isOver} isExpanded={isExpanded} onToggle={onToggle}>
          {item.call.inner.map((inner) => (
            <ThreadRow
              key={inner.seq}
              item={inner}
              isOver={isOver || item.call.result !== null}
              isExpanded={isExpanded}
              onToggle={onToggle}
            />
          ))}
        </ToolCard>
      )
    case "question":
      return <Question item={item} />
    case "notice":
      return (
        <p
          className={clsx(
            "border-l-2 py-0.5 pl-3 text-sm text-ink-2",
            { info: "border-line", warn: "border-strong", error: "border-err" }[item.tone],
          )}
        >
          {item.text}
        </p>
      )
    case "ended":
      return <Ended item={item} />
  }
})

function AgentText({ text, isWriting }: { text: string; isWriting: boolean }) {
  if (isWriting) return <StreamedMarkdown text={text.replace(OPEN_SUMMARY, "")} />
  const said = withoutSummary(text)
  return said === "" ? null : <Markdown text={said} />
}

/** Matches the machine-readable object at a message's end while it is being written. */
const OPEN_SUMMARY = /```json\s*\{\s*"change_summary"[\s\S]*$/

function Thought({ text, expanded, onToggle }: { text: string; expanded: boolean; onToggle(): void }) {
  return (
    <div className="text-sm text-ink-2">
      <button
        type="button"
        aria-expanded={expanded}
        onClick={onToggle}
        className="flex min-h-6 max-w-full items-center gap-1 text-left text-ink-3 hover:text-ink max-md:min-h-11"
      >
        {expanded ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
        <span className="shrink-0">Thinking</span>
        {!expanded && <span className="min-w-0 truncate pl-1 italic">{text.trimStart().split("\n")[0]}</span>}
      </button>
      {expanded && (
        <div className="ml-1.5 border-l-2 border-line pl-3">
          <Markdown text={text} />
        </div>
      )}
    </div>
  )
}

const outcomes: Record<string, string> = {
  allow: "Allowed",
  allow_session: "Allowed for this session",
  allow_all: "Allowed, along with all future edits",
  deny: "Denied",
}

/** An answered question. Until then, it is shown below the conversation. */
function Question({ item: { content, answer } }: { item: Extract<ThreadItem, { type: "question" }> }) {
  if (!answer) return null
  const isDenied = answer.choice === "deny"
  const words =
    content?.kind === "permission" || content?.kind === "plan" ? (outcomes[answer.choice] ?? "Answered") : "Answered"
  return (
    <div className="flex min-w-0 items-baseline gap-2 text-sm text-ink-2">
      <StatusIcon state={isDenied ? "error" : "done"} label={null} />
      <p className="min-w-0 flex-1 wrap-anywhere">
        <span className="text-ink">{words}</span> · {questionTitle(content)}
        {answer.text && <span className="block text-ink">{answer.text}</span>}
      </p>
    </div>
  )
}

const ends = { completed: "Done", failed: "Failed", cancelled: "Stopped" } as const

function Ended({ item: { status, durationMs, message, ts } }: { item: Extract<ThreadItem, { type: "ended" }> }) {
  return (
    <div data-ended={status} className="text-xs text-ink-3 nums">
      <p className="flex items-center gap-2">
        <span className="h-px flex-1 bg-line" />
        <span className={status === "failed" ? "text-err" : undefined}>
          {ends[status]}
          {status === "completed" && message && " with a warning"}
        </span>
        {durationMs > 0 && <span>{formatDuration(durationMs)}</span>}
        <time dateTime={ts}>{shortTime(ts)}</time>
        <span className="h-px flex-1 bg-line" />
      </p>
      {message && (
        <p className={clsx("mt-1 text-sm whitespace-pre-line", status === "failed" ? "text-err" : "text-ink-2")}>
          {message}
        </p>
      )}
    </div>
  )
}

/** Returns the sender's name, or null for a person. */
function senderOf(source: string): string | null {
  if (source.startsWith("agent:")) return source.slice("agent:".length)
  return source === "collisions" ? "Switchyard" : null
}
