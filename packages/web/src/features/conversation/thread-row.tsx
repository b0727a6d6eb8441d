import { formatDuration } from "@switchyard/core/text/format"
import { questionTitle } from "@switchyard/core/work/headlines/question-title"
import { clsx } from "clsx"
import { memo } from "react"
import { withoutSummary } from "../../session/stream/agent-text.ts"
import type { ThreadItem } from "../../session/stream/thread.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { ChevronDown, ChevronRight, StatusIcon } from "../../ui/icons.tsx"
import { LongText } from "../../ui/long-text.tsx"
import { Markdown, StreamedMarkdown } from "../../ui/markdown/markdown.tsx"
import { shortTime } from "../../ui/time.ts"
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
    case "told":
      return <MessageCard item={item} expanded={isExpanded(key)} onToggle={() => onToggle(key)} />
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
        <span className="shrink-0">Thought</span>
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
  allow_all: "Allowed, with all edits",
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
        <span className={status === "failed" ? "text-err" : undefined}>{ends[status]}</span>
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

interface ToldCardProps {
  item: Extract<ThreadItem, { type: "told" }>
  expanded: boolean
  onToggle(): void
}

/** A message to the agent, verbatim: on the right if from a person, on the left if from another agent. */
function MessageCard({ item: { source, text, images, ts }, expanded, onToggle }: ToldCardProps) {
  const sender = senderOf(source)
  return (
    <article className={sender ? "w-fit max-w-[92%]" : "ml-auto w-fit max-w-[92%]"}>
      <p className="mb-0.5 flex gap-2 text-xs text-ink-3 nums">
        {sender ? <span>from {sender}</span> : <span className="unseen">You</span>}
        <time dateTime={ts} className={sender ? undefined : "ml-auto"}>
          {shortTime(ts)}
        </time>
      </p>
      <div className={`rounded-md px-3 py-2 ${sender ? "border border-line bg-sheet" : "bg-well"}`}>
        <LongText text={text} expanded={expanded} onToggle={onToggle} />
        {images.length > 0 && (
          <ul className="mt-2 flex flex-wrap gap-2">
            {images.map((sha256, at) => (
              <li key={`${at.toString()} ${sha256}`}>
                <Picture sha256={sha256} number={at + 1} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </article>
  )
}

function Picture({ sha256, number }: { sha256: string; number: number }) {
  const { sessionId, api } = useShownSession()
  const url = api.url("GET /api/v1/sessions/{id}/artifacts/{sha256}", { path: { id: sessionId, sha256 } })
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="block">
      <img
        src={url}
        alt={`Attached ${number}`}
        loading="lazy"
        className="max-h-40 max-w-full rounded-sm border border-line"
      />
    </a>
  )
}

/** Returns the sender's name, or null for a person. */
function senderOf(source: string): string | null {
  if (source.startsWith("agent:")) return source.slice("agent:".length)
  return source === "collisions" ? "Switchyard" : null
}
