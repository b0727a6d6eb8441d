import type { NewEvent } from "@switchyard/core/events"

export const AGENTS = 8
/** Seconds in a turn, with one event each. */
const TURN = 62

/** Events of eight agents in a day: turns with texts and tool calls. */
export interface Day {
  arrivals(): NewEvent[]
  /** Returns the events of the next second, one of each agent. */
  second(): NewEvent[]
}

export function createDay(): Day {
  let seconds = 0
  const agents = Array.from({ length: AGENTS }, (_, index) => index + 1)
  return {
    arrivals: () => agents.map(arrival),
    second() {
      // The agents start their turns at different times.
      const told = agents.map((agent) => eventOf(agent, seconds + agent * 7))
      seconds++
      return told
    },
  }
}

const program = { cli: "mock" as const, account: null, model: null, reasoning: null }

function arrival(agent: number): NewEvent {
  const name = `agent-${agent}`
  return { type: "agent_created", agent_id: idOf(agent), kind: "cli", name, ...program, mode: "bypass", worktree: name }
}

const idOf = (agent: number) => `agt_${String(agent).padStart(26, "0")}`

function eventOf(agent: number, second: number): NewEvent {
  const turn = Math.floor(second / TURN)
  const run = { run_id: `run_${String(turn * AGENTS + agent).padStart(26, "0")}`, agent_id: idOf(agent) }
  return inTurn(run, `agent-${agent}`, { at: second % TURN, second })
}

interface Run {
  run_id: string
  agent_id: string
}

function inTurn(run: Run, worktree: string, { at, second }: { at: number; second: number }): NewEvent {
  const call = { tool_call_id: `tc_${run.agent_id}_${second - (at % 3 === 2 ? 1 : 0)}` }
  if (at === 0) {
    const input = { task: "Go on.", ...program, repository: null, terminal: { rows: 24, cols: 80 } }
    return { type: "run_created", ...run, kind: "agent", model: "mock", worktree, input }
  }
  if (at === 1) return { type: "run_claimed", ...run, generation: 1, executor: "bench" }
  if (at === 2) return { type: "user_message", ...run, content: "Go on.", source: "task" }
  if (at === TURN - 1) return { type: "run_completed", ...run, duration_ms: TURN * 1000, workspace_version: 0 }
  if (at % 3 === 0) return { type: "assistant_message", ...run, blocks: [{ kind: "text", content: WORDS }] }
  if (at % 3 === 1)
    return { type: "tool_call_started", ...run, ...call, tool: "bash", name: "Bash", command: "npm test" }
  return { type: "tool_call_finished", ...run, ...call, exit_code: 0, duration_ms: 900, llm_summary: WORDS }
}

const WORDS = "All of the tests of this folder pass, and the next one has two that don't yet. ".repeat(3)
