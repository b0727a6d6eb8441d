import type { NewEvent } from "../../events.ts"

/** Number of consecutive calls with identical arguments and results that counts as repetition. */
const SAME_CALLS = 6
/** Number of times that edits must produce each of two versions of a file to count as repetition. */
const SAME_TEXTS = 3

type Started = Extract<NewEvent, { type: "tool_call_started" }>
type Finished = Extract<NewEvent, { type: "tool_call_finished" }>

/**
 * Detects from a turn's events that an agent is repeating itself. Only counts actions that can't be useful. A call
 * whose result changes each time may be waiting for something, and a long silence means nothing. Ignores calls by
 * sub-agents.
 */
export function createRepetition() {
  const started = new Map<string, Started>()
  /** For each file, the number of edits that produced each version of its text. */
  const texts = new Map<string, Map<string, number>>()
  let last = ""
  let inARow = 0

  function sameCall(call: Started, { exit_code, llm_summary, after_sha256 }: Finished): string | undefined {
    const { tool, name, path, command, args, diff } = call
    const key = JSON.stringify([tool, name, path, command, args, diff, exit_code, llm_summary, after_sha256])
    inARow = key === last ? inARow + 1 : 1
    last = key
    return inARow >= SAME_CALLS ? `the same call ${inARow} times, with the same result: ${nameOf(call)}` : undefined
  }

  function sameText({ path }: Started, { after_sha256: text }: Finished): string | undefined {
    if (path === undefined || text === undefined) return undefined
    const times = texts.get(path) ?? new Map<string, number>()
    texts.set(path, times.set(text, (times.get(text) ?? 0) + 1))
    // A single text may recur for good reasons, such as a bug that is planted to see a test fail. Two texts that
    // alternate show a loop.
    const often = [...times.values()].filter((count) => count >= SAME_TEXTS)
    return often.length >= 2 ? `edits to ${path} that undo each other` : undefined
  }

  return {
    /** Processes the next event. Returns a description of the repetition once it is certain. */
    see(event: NewEvent): string | undefined {
      if (event.type === "tool_call_started" && event.parent_tool_call_id === undefined) {
        started.set(event.tool_call_id, event)
      }
      if (event.type !== "tool_call_finished") return undefined
      const call = started.get(event.tool_call_id)
      started.delete(event.tool_call_id)
      return call && (sameCall(call, event) ?? sameText(call, event))
    },
  }
}

const NAME_CHARS = 200

function nameOf({ tool, name, path, command }: Started): string {
  return (command ?? [name ?? tool, path].filter(Boolean).join(" ")).slice(0, NAME_CHARS)
}
