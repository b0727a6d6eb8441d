import { clsx } from "clsx"
import { useMemo } from "react"
import { Button } from "../../ui/button.tsx"
import { Plus, StatusIcon } from "../../ui/icons.tsx"
import { Copy, GitBranch } from "../../ui/more-icons.tsx"
import { Notice } from "../../ui/notice.tsx"
import { shortTime } from "../../ui/time.ts"
import { MessageCard } from "../conversation/message-card.tsx"
import { Answer } from "./answer.tsx"
import { mentionedFiles } from "./file-mentions.ts"
import type { ChatBranch, ChatMessage, TurnResult } from "./use-chat.ts"

interface QuestionProps {
  message: ChatMessage
  /** Rewinds everything to before the message, which can then be edited; null if that isn't possible now. */
  onRewind: ((message: ChatMessage) => void) | null
  expanded: boolean
  onToggle(): void
}

/** A person's question, or a note about something that happened meanwhile. */
export function QuestionRow({ message, onRewind, ...fold }: QuestionProps) {
  const { system_event, content, images, ts } = message
  if (system_event) return <p className="text-center text-sm text-ink-3">{content}</p>
  return (
    <MessageCard label="Your message" isNameless isOwn text={content} images={images} ts={ts} {...fold}>
      {onRewind && (
        <button type="button" onClick={() => onRewind(message)} className={QUIET}>
          Rewind to here
        </button>
      )}
    </MessageCard>
  )
}

/** Style for an action that doesn't draw attention. */
const QUIET = "min-h-6 rounded-sm px-1 hover:text-ink hover:underline max-md:min-h-11 max-md:px-2"

interface AnswerProps {
  message: ChatMessage
  paths: readonly string[]
  selected: ReadonlySet<string>
  isLast: boolean
  onOpen(path: string): void
  onAdd: ((paths: string[]) => void) | null
  /** Sends the message that asks for failed edits again; null if that isn't possible now. */
  onRetry: ((text: string) => void) | null
  /** Opens a new session from here; null if that isn't possible now. */
  onFork: ((message: ChatMessage) => void) | null
  /** Undoes the edits; null if that isn't possible now. */
  onUndo: ((message: ChatMessage) => void) | null
}

/** The model's answer, and what happened with it. */
export function AnswerRow({ message, paths, selected, isLast, onOpen, onAdd, onRetry, onFork, onUndo }: AnswerProps) {
  const { content, result } = message
  const isRead = result !== null && isLast
  const mentioned = useMemo(
    () => (isRead ? mentionedFiles(content, paths, selected) : []),
    [isRead, content, paths, selected],
  )
  const retry = isLast ? result?.retry_prompt : null
  return (
    <article aria-label="Answer" className="group flex flex-col gap-3">
      <Answer text={content} result={result} isUndone={message.undone ?? false} onOpen={onOpen} />
      {result && <Summary result={result} isUndone={message.undone ?? false} />}
      {result && result.shell_commands.length > 0 && <Commands commands={result.shell_commands} />}
      {retry && (
        <p className="text-sm">
          <Button size="sm" disabled={!onRetry} onClick={() => onRetry?.(retry)}>
            Retry
          </Button>
        </p>
      )}
      {mentioned.length > 0 && <Mentions paths={mentioned} onAdd={onAdd} />}
      {onFork && (
        <p className="-mt-1.5 text-xs text-ink-3">
          <button type="button" onClick={() => onFork(message)} className={`-ml-1 max-md:-ml-2 ${QUIET}`}>
            Fork from here
          </button>
          {onUndo && !message.undone && result !== null && result.counts.passed > 0 && (
            <button type="button" onClick={() => onUndo(message)} className={QUIET}>
              {result.counts.passed === 1 ? "Undo edit" : `Undo ${result.counts.passed} edits`}
            </button>
          )}
        </p>
      )}
    </article>
  )
}

/** Why a turn failed, what was left out, and the outcome of several edits. */
function Summary({ result, isUndone }: { result: TurnResult; isUndone: boolean }) {
  const { error, error_info: info, notice, shed_files: shed, counts, finish_reason: reason } = result
  const edits = counts.passed + counts.failed + counts.skipped + counts.not_in_context + counts.already_applied
  return (
    <>
      {error && (
        <Notice tone="err">
          {error}
          {info && info.hint !== error && <span className="mt-1 block text-ink-2">{info.hint}</span>}
        </Notice>
      )}
      {notice && <Notice>{notice}</Notice>}
      {shed.length > 0 && <Notice>Omitted to shorten the prompt: {shed.join(", ")}.</Notice>}
      {reason === "max_tokens" && <Notice tone="need">The answer was cut off at the model's length limit.</Notice>}
      {edits > 1 && (
        <p className="text-sm text-ink-2">
          {counts.passed} of {edits} edits {isUndone ? "applied, then undone" : "applied"}
          {counts.failed > 0 && <span className="text-err">, {counts.failed} failed</span>}
          {counts.skipped > 0 && `, ${counts.skipped} skipped`}
          {counts.not_in_context > 0 && `, ${counts.not_in_context} not in context`}
        </p>
      )}
    </>
  )
}

function Commands({ commands }: { commands: readonly string[] }) {
  return (
    <ul className="flex flex-col gap-1">
      {commands.map((command) => (
        <li key={command} className="flex flex-wrap items-center gap-2 text-sm">
          <code className="rounded-sm bg-well px-2 py-0.5 font-mono text-[0.92em]">{command}</code>
          <button
            type="button"
            aria-label={`Copy ${command}`}
            title="Copy"
            onClick={() => navigator.clipboard.writeText(command)}
            className="inline-flex size-6 items-center justify-center rounded-sm text-ink-3 hover:bg-well hover:text-ink max-md:size-11"
          >
            <Copy size={13} aria-hidden />
          </button>
          <span className="text-ink-3">Suggested, not run</span>
        </li>
      ))}
    </ul>
  )
}

function Mentions({ paths, onAdd }: Pick<AnswerProps, "onAdd"> & { paths: string[] }) {
  const chip =
    "inline-flex min-h-7 items-center gap-1 rounded-md border border-line px-2 hover:border-strong hover:bg-well max-md:min-h-11"
  return (
    <p className="flex flex-wrap items-center gap-1.5 text-sm text-ink-2">
      {paths.map((path) => (
        <button key={path} type="button" disabled={!onAdd} onClick={() => onAdd?.([path])} className={chip}>
          <Plus size={12} aria-hidden /> <span className="font-mono text-xs">{path}</span>
        </button>
      ))}
      {paths.length > 1 && (
        <button type="button" disabled={!onAdd} onClick={() => onAdd?.(paths)} className={clsx(chip, "text-accent")}>
          Add all
        </button>
      )}
      <span className="text-ink-3">Mentioned above</span>
    </p>
  )
}

/** A branch that was left by a rewind. */
export function BranchRow({
  branch,
  onReturn,
}: {
  branch: ChatBranch
  onReturn: ((branch: ChatBranch) => void) | null
}) {
  const { message_count: count, preview, ts } = branch
  return (
    <p className="flex items-center gap-2 rounded-md border border-dashed border-line px-3 py-1.5 text-sm text-ink-3">
      <GitBranch size={14} aria-hidden className="shrink-0" />
      <span className="min-w-0 truncate">
        {count === 1 ? "1 message" : `${count} messages`} removed at {shortTime(ts)}: {preview}
      </span>
      {onReturn && (
        <button
          type="button"
          onClick={() => onReturn(branch)}
          className="ml-auto min-h-6 shrink-0 text-accent hover:underline max-md:min-h-11"
        >
          Restore
        </button>
      )}
    </p>
  )
}

/** The answer while it arrives. */
export function LiveRow({ text, state, onOpen }: { text: string; state: string; onOpen(path: string): void }) {
  return (
    <article aria-label="Answer" aria-busy="true" className="flex flex-col gap-3">
      {text !== "" && <Answer text={text} result={null} onOpen={onOpen} />}
      <p className="flex items-center gap-2 text-sm text-ink-2">
        <StatusIcon state="busy" label={null} /> {state}…
      </p>
    </article>
  )
}
