import type { NewEvent } from "../../events.ts"
import { totalOf } from "../../work/usage/counts.ts"

/** Detects an agent that uses much and gets nowhere, from the events of its turn. */
export interface Standstill {
  /** Sees one more event. Returns what was used for nothing, as a sentence, once there is no doubt of it. */
  see(event: NewEvent): string | undefined
}

/** Tokens without anything new, those that are read from a cache among them. */
const IDLE_TOKENS = 2_000_000
/** Answers of the model without anything new: a large conversation needs but a few for as many tokens. */
const IDLE_ANSWERS = 12

type Started = Extract<NewEvent, { type: "tool_call_started" }>
type Finished = Extract<NewEvent, { type: "tool_call_finished" }>
type Usage = Extract<NewEvent, { type: "agent_usage" }>

/**
 * A file with a text that it hasn't had is something new, and so are a call that wasn't made before and a result that wasn't
 * seen before, also of a helper's. So reading a large codebase is always new, and waiting as long as it shows something.
 * Nothing is said while a call goes on: what is used meanwhile is its own.
 */
export function createStandstill(): Standstill {
  const open = new Map<string, Started>()
  const seen = new Set<string>()
  const readTokens = createTokenCount()
  let tokens = 0
  let answers = 0

  function finished(event: Finished): void {
    const call = open.get(event.tool_call_id)
    if (!call) return
    open.delete(event.tool_call_id)
    const shown = keyOf(call, event)
    if (seen.has(shown)) return
    seen.add(shown)
    tokens = 0
    answers = 0
  }

  return {
    see(event) {
      if (event.type === "tool_call_started") open.set(event.tool_call_id, event)
      else if (event.type === "tool_call_finished") finished(event)
      else if (event.type === "agent_usage") {
        tokens += readTokens(event)
        answers++
      } else return undefined
      if (open.size > 0 || tokens < IDLE_TOKENS || answers < IDLE_ANSWERS) return undefined
      return `${tokens.toLocaleString("en")} tokens in ${answers} answers without a change, a new call or a new result`
    },
  }
}

/** Tokens since the report before, of a gateway, which counts each request, or of a program, which counts the turn. */
function createTokenCount(): (event: Usage) => number {
  let ofTurn = 0
  return ({ usage, basis = "requests" }) => {
    const used = totalOf(usage)
    if (basis === "requests") return used
    const more = Math.max(0, used - ofTurn)
    ofTurn = Math.max(ofTurn, used)
    return more
  }
}

/** Times of day and durations, which are new whenever a command is run again. */
const TIMES = /\d{1,2}:\d\d(?::\d\d)?|\d{1,9}(?:\.\d{1,9})? ?(?:m?s|seconds?)\b/g

function keyOf({ tool, name, path, command, args, diff }: Started, finished: Finished): string {
  const { exit_code, llm_summary, after_sha256 } = finished
  if (after_sha256 !== undefined) return JSON.stringify([path, after_sha256])
  return JSON.stringify([tool, name, path, command, args, diff, exit_code, llm_summary.replace(TIMES, "")])
}
