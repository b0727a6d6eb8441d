import type { NewEvent } from "@switchyard/core/events"
import type { Rule } from "@switchyard/core/sessions/session-log"
import { emptySession, type SessionState } from "@switchyard/core/sessions/state"
import { finishCommand, requestCommand } from "@switchyard/core/worktrees/commands"
import { describe, expect, it } from "vitest"
import { stateAfter } from "../sessions/folded.ts"

const grown = (state: SessionState, ...events: NewEvent[]) => stateAfter(events, { state })
const decide = (state: SessionState, rule: Rule): NewEvent[] => {
  const verdict = rule(state)
  if (verdict instanceof Error) throw verdict
  return verdict
}

const agent = { run_id: "run_1", agent_id: "main" }
const input = { task: "x", cli: "mock" as const, account: null, model: null, reasoning: null, repository: null }
const terminal = { rows: 24, cols: 80 }
const created: NewEvent = { type: "run_created", ...agent, kind: "agent", model: "mock", input: { ...input, terminal } }
const open = grown(
  emptySession,
  { type: "session_opened", session_id: "mine", incarnation: 1, repository: "/theirs" },
  { type: "runner_claimed", generation: 1, executor: "one" },
)
const done = { answer: { reset: true }, error: null }

describe("a command for a worktree", () => {
  it("is asked for once, and answered once, by the runner that serves the session", () => {
    const asked = grown(open, ...decide(open, requestCommand("cmd_1", { command: "reset" })))
    expect(asked.worktree.pending).toEqual({ cmd_1: 3 })
    expect(decide(asked, requestCommand("cmd_1", { command: "reset" }))).toEqual([])
    const replaced = grown(asked, { type: "runner_claimed", generation: 2, executor: "two" })
    expect(finishCommand(1, "cmd_1", done)(replaced)).toMatchObject({ code: "run_superseded" })
    const finished = grown(replaced, ...decide(replaced, finishCommand(2, "cmd_1", done)))
    expect(finished.worktree.pending).toEqual({})
    expect(decide(finished, finishCommand(2, "cmd_1", done))).toEqual([])
  })

  it("waits for no agent: it is refused while one works, and questions are not", () => {
    const busy = grown(open, created)
    expect(requestCommand("cmd_1", { command: "reset" })(busy)).toMatchObject({ code: "worktree_busy" })
    expect(decide(busy, requestCommand("cmd_1", { question: "status" }))).toHaveLength(1)
    const over = grown(busy, { type: "run_cancelled", ...agent, duration_ms: 1, reason: "x" })
    expect(decide(over, requestCommand("cmd_1", { command: "reset" }))).toHaveLength(1)
  })

  it("is of a session that there is, and ends with it", () => {
    expect(requestCommand("cmd_1", { command: "reset" })(emptySession)).toMatchObject({ code: "session_deleted" })
    const asked = grown(open, ...decide(open, requestCommand("cmd_1", { command: "reset" })))
    const gone = grown(asked, { type: "session_deleted", incarnation: 1, reason: "request" })
    expect(gone).toMatchObject({ repository: null, worktree: emptySession.worktree })
  })
})
