import type { NewEvent } from "../../events.ts"
import { totalOf } from "../../work/usage/counts.ts"

/** Number of tokens, including cached ones, that an agent must use without progress to be reported. */
const IDLE_TOKENS = 2_000_000
/**
 * Minimum number of model answers without progress. Tokens alone aren't enough, because a few answers can use that many
 * tokens in a large conversation.
 */
const IDLE_ANSWERS = 12

type Started = Extract<NewEvent, { type: "tool_call_started" }>
type Finished = Extract<NewEvent, { type: "tool_call_finished" }>
type Usage = Extract<NewEvent, { type: "agent_usage" }>

/**
 * Detects from a turn's events that an agent is using many tokens without making progress. Progress is anything new
 * from the agent or its sub-agents: a version of a file that didn't exist before, a new call, or a new result. Reading
 * a large codebase therefore always counts as progress, and so does waiting for something as long as the output
 * changes. Nothing is reported while a call is open, because tokens used during the call belong to it.
 */
export function createStandstill() {
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
    /** Processes the next event. Returns a description of the wasted usage once it is certain. */
    see(event: NewEvent): string | undefined {
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

/**
 * Returns a function that counts the tokens since the previous report. Gateways report the usage of each request, and
 * CLIs report a running total for the turn.
 */
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

/** Times of day and durations in a result. They are ignored, because they change each time a command is repeated. */
const TIMES = /\d{1,2}:\d\d(?::\d\d)?|\d{1,9}(?:\.\d{1,9})? ?(?:m?s|seconds?)\b/g

function keyOf({ tool, name, path, command, args, diff }: Started, finished: Finished): string {
  const { exit_code, llm_summary, after_sha256 } = finished
  if (after_sha256 !== undefined) return JSON.stringify([path, after_sha256])
  return JSON.stringify([tool, name, path, command, args, diff, exit_code, llm_summary.replace(TIMES, "")])
}
