import type { NewEvent } from "../../events.ts"

/** Detects an agent that goes in circles, from the events of its turn. */
export interface Repetition {
  /** Sees one more event. Returns what is repeated, as a sentence, once there is no doubt of it. */
  see(event: NewEvent): string | undefined
}

/** Calls in a row that are the same and have the same result. */
const SAME_CALLS = 6
/** Times that edits leave a file as it was before, with each of two texts. */
const SAME_TEXTS = 3

type Started = Extract<NewEvent, { type: "tool_call_started" }>
type Finished = Extract<NewEvent, { type: "tool_call_finished" }>

/**
 * Only what can't be work counts: a call that shows something new each time waits for something, and a long silence says
 * nothing at all. What a helper of the agent's does is its own.
 */
export function createRepetition(): Repetition {
  const started = new Map<string, Started>()
  /** The times that edits left each file with each of its texts. */
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
    // One text may come again for good reasons, such as a fault that is put in to see a test fail; two that alternate don't.
    const often = [...times.values()].filter((count) => count >= SAME_TEXTS)
    return often.length >= 2 ? `edits of ${path} that undo one another` : undefined
  }

  return {
    see(event) {
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
