import type { NodeName } from "@switchyard/core/work/workflow/schema"
import { CHAT } from "./chat.ts"
import { type EventOfType, inlined, type StudioEvent } from "./event.ts"
import { countUpTo } from "./keyframes.ts"

/** A file while a model is writing or editing it. */
export interface LiveFile {
  /** sha256 of the text that the edits apply to; null for a file written as a whole. */
  base: string | null
  /** Each edit applies to the result of the previous ones. */
  edits: readonly LiveEdit[]
  /** Number of edits from earlier calls. */
  earlier: number
  /** sha256 of the text after a call's edits, which hasn't been committed yet. */
  saved?: string
}

export interface LiveEdit {
  at: number
  removed: number
  text: string
}

/**
 * Text that models are writing at a moment and that isn't saved yet. Not part of the view: that is folded only from
 * structural events, and these are the most frequent ones.
 */
export interface LiveText {
  /** By path. */
  files: ReadonlyMap<string, LiveFile>
  /** Number of characters that models have thought since their last output, by visit. */
  thinking: ReadonlyMap<string, number>
  /** The chat's answer; null if none is arriving. */
  answer: LiveAnswer | null
}

/** A chat answer while it arrives. */
export interface LiveAnswer {
  runId: string
  text: string
  /** False if its beginning isn't loaded. */
  isWhole: boolean
  /** Number of characters that the model has thought. */
  thinking: number
}

export const noLiveText: LiveText = { files: new Map(), thinking: new Map(), answer: null }

/** Returns the live text after one more event; the same object if the event doesn't affect it. */
export function reduceLiveText(live: LiveText, event: StudioEvent): LiveText {
  if (event.agent_id === CHAT) {
    const answer = reduceAnswer(live.answer, event)
    return answer === live.answer ? live : { ...live, answer }
  }
  switch (event.type) {
    case "session_opened":
    case "session_deleted":
    case "run_created":
    case "run_claimed":
    case "run_completed":
    case "run_failed":
    case "run_cancelled":
      return live.files.size + live.thinking.size > 0 ? { ...noLiveText, answer: live.answer } : live
    case "model_reasoning":
      return { ...live, thinking: new Map(live.thinking).set(visitOf(event), event.chars) }
    case "tool_call_started":
      return { ...live, files: afterCall(live.files, event), thinking: without(live.thinking, visitOf(event)) }
    case "model_text":
    case "node_started":
      return { ...live, thinking: without(live.thinking, visitOf(event)) }
    case "file_text":
      return { ...live, files: extended(live.files, event), thinking: without(live.thinking, visitOf(event)) }
    case "file_edit_text":
      return { ...live, files: edited(live.files, event), thinking: without(live.thinking, visitOf(event)) }
    case "node_finished":
      return {
        ...live,
        files: without(live.files, inlined(event.update)?.file_path ?? ""),
        thinking: without(live.thinking, visitOf(event)),
      }
    case "workspace_committed":
      return event.run_id ? { ...live, files: saved(live.files, event) } : live
    default:
      return live
  }
}

function reduceAnswer(answer: LiveAnswer | null, event: StudioEvent): LiveAnswer | null {
  const { run_id: runId } = event
  if (runId === undefined) return answer
  const before = answer?.runId === runId ? answer : { runId, text: "", isWhole: false, thinking: 0 }
  switch (event.type) {
    // The answer begins, or starts over.
    case "run_created":
    case "run_claimed":
    case "model_retried":
    case "model_replaced":
      return { ...before, text: "", isWhole: true, thinking: 0 }
    case "model_text":
      return { ...before, text: before.text + event.text }
    case "model_reasoning":
      return { ...before, thinking: event.chars }
    case "chat_turn_settled":
    case "run_completed":
    case "run_failed":
    case "run_cancelled":
      return null
    default:
      return answer
  }
}

/** Returns the live text after this event, from a part of the log that contains it. */
export function liveTextAt(events: readonly StudioEvent[], seq: number): LiveText {
  return events.slice(0, countUpTo(events, seq)).reduce(reduceLiveText, noLiveText)
}

/** Returns the number of characters that a node's models have thought so far; 0 if none is thinking. */
export function thinkingOf({ thinking }: Pick<LiveText, "thinking">, node: NodeName): number {
  let chars = 0
  for (const [visit, more] of thinking) if (visit.startsWith(`${node}:`)) chars += more
  return chars
}

/** Returns a file's text so far; undefined if the text that its edits apply to isn't known. */
export function textOf({ base, edits }: LiveFile, committed: { sha256: string | null; text: string | null }) {
  if (base !== null && (base !== committed.sha256 || committed.text === null)) return undefined
  const before = base === null ? "" : (committed.text ?? "")
  return edits.reduce((text, { at, removed, text: put }) => text.slice(0, at) + put + text.slice(at + removed), before)
}

/** Returns the offset at which the text is growing. */
export function growsAt({ edits }: LiveFile): number {
  const last = edits.at(-1)
  return last ? last.at + last.text.length : 0
}

function extended(files: LiveText["files"], part: EventOfType<"file_text">): LiveText["files"] {
  const { path, offset, text } = part
  if (offset === 0) return new Map(files).set(path, { base: null, edits: [{ at: 0, removed: 0, text }], earlier: 0 })
  const file = files.get(path)
  return file?.base === null && file.edits.length === 1 ? grown(files, path, file, part) : without(files, path)
}

function edited(files: LiveText["files"], part: EventOfType<"file_edit_text">): LiveText["files"] {
  const { path, base, at, removed, offset, text } = part
  const file = files.get(path)
  const begun = { at, removed, text }
  if (part.edit === 0 && offset === 0) {
    // The next call edits the text saved by an earlier call. Refused edits are dropped.
    const earlier = file?.saved === base ? file : { base, edits: [] }
    return new Map(files).set(path, {
      base: earlier.base,
      edits: [...earlier.edits, begun],
      earlier: earlier.edits.length,
    })
  }
  if (!file) return files
  const index = file.earlier + part.edit
  if (index === file.edits.length && offset === 0) {
    return new Map(files).set(path, { ...file, edits: [...file.edits, begun] })
  }
  return index === file.edits.length - 1 ? grown(files, path, file, part) : without(files, path)
}

/** Returns the files after the last edit of one of them has grown. A part is useless if its beginning isn't loaded. */
function grown(files: LiveText["files"], path: string, file: LiveFile, { offset, text }: Grown): LiveText["files"] {
  const last = file.edits.at(-1)
  if (last?.text.length !== offset) return without(files, path)
  const edits = [...file.edits.slice(0, -1), { ...last, text: last.text + text }]
  return new Map(files).set(path, { ...file, edits })
}

type Grown = Pick<EventOfType<"file_text">, "offset" | "text">

/** Returns the files after a call that saved a file, or that was refused, in which case its edits weren't made. */
function afterCall(files: LiveText["files"], { path = "", tool, sha256 }: EventOfType<"tool_call_started">) {
  const file = files.get(path)
  if (!file) return files
  if (sha256 !== undefined) return new Map(files).set(path, { ...file, saved: sha256 })
  if (tool !== "edit") return files
  const edits = file.edits.slice(0, file.earlier)
  return edits.length === 0 ? without(files, path) : new Map(files).set(path, { ...file, edits })
}

function saved(files: LiveText["files"], event: EventOfType<"workspace_committed">) {
  const changes = inlined(event.changes)
  return changes ? changes.reduce((left, { path }) => without(left, path), files) : new Map()
}

function visitOf({ node, iteration }: { node?: NodeName; iteration?: number }): string {
  return `${node}:${iteration}`
}

function without<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  if (!map.has(key)) return map
  const rest = new Map(map)
  rest.delete(key)
  return rest
}
