import type { EventOf, LogEvent } from "../../events.ts"
import { clip } from "../protocols/tool-kinds.ts"

/** An agent's work so far, as read from its log. It helps the next program, but is never authoritative. */
export interface Checkpoint {
  originalTask: string
  /** Earlier requests, and messages received during the task. */
  requests: string[]
  filesCreated: string[]
  filesChanged: string[]
  /** Recent commands that built, tested or changed something. */
  keyCommands: string[]
  /** The agent's own reports on its progress. */
  progress: string[]
  lastMessage: string
  /** The agent's next step, if it named one. */
  remainingWork: string
  nativeSession: string | null
  seqRange: [number, number]
}

const COMMAND_CHARS = 100
const REQUEST_CHARS = 500
const MAX_REQUESTS = 10
const MAX_COMMANDS = 10
const MAX_FILES = 200
const MAX_PROGRESS = 10
const LAST_MESSAGE_CHARS = 6000
const KEY_COMMAND = /\b(?:pytest|npm|npx|make|cargo|go|yarn|pnpm|gradle|mvn|node|deno|bun|tox|ruff|tsc|vitest|jest)\b/
/** Commands that usually change files, and redirections to files. */
const CHANGING =
  /\b(?:rm|mv|cp|ln|tee|touch|patch|apply_patch)\b|\b(?:sed|perl)\s{1,4}-i|(?<![\d&=-])>>?\s{0,4}(?!\/dev\/)[\w"'./$~]/

/**
 * Reads an agent's work from the events of its runs. `current` is the run that is being handed over. Without it, all of
 * the work was done before the task.
 */
export async function readCheckpoint(
  current: { task: string; runId: string } | undefined,
  events: AsyncIterable<LogEvent>,
): Promise<Checkpoint> {
  const requests: string[] = []
  let hasBegun = false
  const created = new Set<string>()
  const changed = new Set<string>()
  const commands: string[] = []
  const progress: string[] = []
  const checkpoint: Pick<Checkpoint, "lastMessage" | "nativeSession" | "remainingWork"> = {
    ...{ lastMessage: "", nativeSession: null, remainingWork: "" },
  }
  const range: [number, number] = [0, 0]
  for await (const event of events) {
    range[0] ||= event.seq
    range[1] = event.seq
    const isCurrent = current !== undefined && event.run_id === current.runId
    if (event.type === "agent_turn_started") hasBegun ||= isCurrent
    // Before the current run's first turn, the only message is the task itself.
    if (event.type === "user_message" && (!isCurrent || hasBegun)) requests.push(...requestIn(event))
    if (event.type === "tool_call_started") {
      if (event.tool === "write" && event.path !== undefined && !changed.has(event.path)) created.add(event.path)
      if (event.tool === "edit" && event.path !== undefined && !created.has(event.path)) changed.add(event.path)
      if (event.command !== undefined && isKey(event.command)) commands.push(event.command)
    } else if (event.type === "progress") {
      progress.push(event.summary)
      checkpoint.remainingWork = event.next_step ?? checkpoint.remainingWork
    } else if (event.type === "assistant_message") {
      checkpoint.lastMessage = textOf(event) || checkpoint.lastMessage
    } else if (event.type === "agent_session_opened") {
      checkpoint.nativeSession = event.native_session_id
    }
  }
  return {
    ...checkpoint,
    originalTask: current?.task ?? requests.join("\n\n"),
    requests: requests.slice(-MAX_REQUESTS).map((text) => clip(text.replace(/\s+/g, " ").trim(), REQUEST_CHARS)),
    filesCreated: [...created].slice(0, MAX_FILES),
    filesChanged: [...changed].slice(0, MAX_FILES),
    keyCommands: commands.slice(-MAX_COMMANDS).map((command) => clip(command.replace(/\s+/g, " "), COMMAND_CHARS)),
    progress: progress.slice(-MAX_PROGRESS),
    seqRange: range,
  }
}

function isKey(command: string): boolean {
  return KEY_COMMAND.test(command) || CHANGING.test(command)
}

/** Returns the checkpoint as an event of the run. */
export function condensed(
  checkpoint: Checkpoint,
): Omit<EventOf<"context_condensed">, "run_id" | "agent_id" | "event_id" | "seq" | "ts"> {
  return {
    type: "context_condensed",
    policy: "provider_handoff",
    replaces_seq_range: checkpoint.seqRange,
    summary_text: summaryOf(checkpoint),
    original_task: checkpoint.originalTask,
    files_changed: checkpoint.filesChanged,
    files_created: checkpoint.filesCreated,
    key_commands: checkpoint.keyCommands,
    remaining_work: checkpoint.remainingWork,
    provider_session_id: checkpoint.nativeSession,
  }
}

/** Describes the work so far, for people and for the next program. */
export function summaryOf(checkpoint: Checkpoint): string {
  const { requests, filesCreated, filesChanged, keyCommands, progress, lastMessage, remainingWork } = checkpoint
  const sections = [
    listed("Requests and messages, the oldest first", requests),
    listed("Files that were created", filesCreated.map(quoted)),
    listed("Files that were changed", filesChanged.map(quoted)),
    listed("The last commands that were run", keyCommands.map(quoted)),
    listed("Reports on the way", progress),
    remainingWork && `Meant to come next: ${remainingWork}`,
    lastMessage && `The last message of the agent before:\n\n${lastMessage}`,
  ]
  return sections.filter(Boolean).join("\n\n") || "Nothing was done yet, as far as is known."
}

/** Returns a message from a person or from another agent. Ignores prompts that only continue a task. */
function requestIn({ source, content }: EventOf<"user_message">): string[] {
  return source === "continuation" || typeof content !== "string" ? [] : [content]
}

function listed(title: string, items: string[]): string {
  return items.length === 0 ? "" : `${title}:\n${items.map((item) => `- ${item}`).join("\n")}`
}

function quoted(text: string): string {
  return `\`${text}\``
}

function textOf({ blocks }: EventOf<"assistant_message">): string {
  // Skip messages that were too long for the log. The other messages are informative enough.
  if (!Array.isArray(blocks)) return ""
  const said = blocks.filter(({ kind }) => kind === "text").map(({ content }) => content)
  return said.join("\n\n").trim().slice(-LAST_MESSAGE_CHARS)
}
