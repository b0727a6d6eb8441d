import type { NodeName } from "@switchyard/core/work/workflow/schema"
import { inlined, type StudioEvent } from "./event.ts"
import { countUpTo } from "./keyframes.ts"

/**
 * What models are writing at a moment and nothing has saved yet. It is no part of the view: that is folded from structural
 * events alone, and these are the most frequent ones.
 */
export interface LiveText {
  /** The texts of files so far, by path. */
  files: ReadonlyMap<string, string>
  /** The characters that models have thought since they last said something, by visit. */
  thinking: ReadonlyMap<string, number>
}

export const noLiveText: LiveText = { files: new Map(), thinking: new Map() }

/** The live text after one more event; the same object if the event doesn't concern it. */
export function reduceLiveText(live: LiveText, event: StudioEvent): LiveText {
  switch (event.type) {
    case "session_opened":
    case "session_deleted":
    case "run_created":
    case "run_claimed":
    case "run_completed":
    case "run_failed":
    case "run_cancelled":
      return live.files.size + live.thinking.size > 0 ? noLiveText : live
    case "model_reasoning":
      return { ...live, thinking: new Map(live.thinking).set(visitOf(event), event.chars) }
    case "model_text":
    case "tool_call_started":
    case "node_started":
      return { ...live, thinking: without(live.thinking, visitOf(event)) }
    case "file_text":
      return { files: extended(live.files, event), thinking: without(live.thinking, visitOf(event)) }
    case "node_finished":
      return {
        files: without(live.files, inlined(event.update)?.file_path ?? ""),
        thinking: without(live.thinking, visitOf(event)),
      }
    case "workspace_committed":
      return event.run_id ? { ...live, files: saved(live.files, event) } : live
    default:
      return live
  }
}

/** The live text after the event of this number, of a part of the log that has it. */
export function liveTextAt(events: readonly StudioEvent[], seq: number): LiveText {
  return events.slice(0, countUpTo(events, seq)).reduce(reduceLiveText, noLiveText)
}

/** The characters that a node's models are thinking; 0 if none is. */
export function thinkingOf({ thinking }: Pick<LiveText, "thinking">, node: NodeName): number {
  let chars = 0
  for (const [visit, more] of thinking) if (visit.startsWith(`${node}:`)) chars += more
  return chars
}

type FileText = Extract<StudioEvent, { type: "file_text" }>

function extended(files: LiveText["files"], { path, offset, text }: FileText): LiveText["files"] {
  const before = offset === 0 ? "" : files.get(path)
  // A part whose beginning isn't loaded is worth nothing.
  if (before?.length !== offset) return without(files, path)
  return new Map(files).set(path, before + text)
}

function saved(files: LiveText["files"], event: Extract<StudioEvent, { type: "workspace_committed" }>) {
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
