import type { AgentTask } from "@switchyard/core/agents/clis/cli"
import { clis } from "@switchyard/core/agents/clis/clis"
import type { AgentEvent } from "@switchyard/core/agents/clis/protocol"
import { problemInStderr } from "@switchyard/core/agents/protocols/problems"
import { protocols } from "@switchyard/core/agents/protocols/protocols"
import { describe, expect, it } from "vitest"

const task: AgentTask = {
  ...{ prompt: "", root: "/project", cwd: "/project", home: "/home" },
  ...{ model: null, reasoning: null, resume: null },
}
const LIMIT = "You've hit your usage limit: 429 rate_limit_exceeded"

/** Returns the ends of turns in a program's output. */
function endsIn(cli: "claude" | "codex" | "gemini", lines: object[]): AgentEvent[] {
  const { protocol } = clis[cli].plan(task, { apiKey: "key", baseUrl: null }, protocols)
  const said = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
  return protocol.parse(said).events.filter(({ type }) => type === "turn_completed" || type === "turn_failed")
}

describe("words about limits that aren't the account's", () => {
  it("are Claude's last ones where it ends at a bound of its own", () => {
    const end = { type: "result", is_error: true, subtype: "error_max_turns", result: LIMIT }
    expect(endsIn("claude", [end])).toMatchObject([{ type: "turn_failed", problem: { kind: "unknown" } }])
  })

  it("are those of Codex's helpers, whose turns aren't the agent's", () => {
    const thread = [{ id: 2, result: { thread: { id: "own" } } }]
    const turn = (threadId: string, about: object) => ({ method: "turn/completed", params: { threadId, turn: about } })
    const failed = { status: "failed", error: { message: LIMIT, codexErrorInfo: "usageLimitExceeded" } }
    const helpers = [turn("helper", { status: "completed" }), turn("helper", failed)]
    expect(endsIn("codex", [...thread, ...helpers])).toEqual([])
    expect(endsIn("codex", [...thread, ...helpers, turn("own", { status: "completed" })])).toEqual([
      { type: "turn_completed" },
    ])
    expect(endsIn("codex", [...thread, turn("own", failed)])).toMatchObject([{ problem: { kind: "quota_exhausted" } }])
  })

  it("are lines of other programs among an agent's protocol", () => {
    const open = [
      { id: 1, result: {} },
      { id: 2, result: { sessionId: "s" } },
    ]
    const error = { code: 429, message: LIMIT }
    const others = [
      { type: "error", error },
      { id: 99, error },
      { id: "3", error },
    ]
    expect(endsIn("gemini", [...open, ...others])).toEqual([])
    expect(endsIn("gemini", [...open, ...others, { id: 3, result: { stopReason: "end_turn" } }])).toEqual([
      { type: "turn_completed" },
    ])
    // An error with id null answers no request, so it concerns a line that we sent.
    for (const id of [3, null]) {
      expect(endsIn("gemini", [...open, { id, error }])).toMatchObject([{ problem: { kind: "quota_exhausted" } }])
    }
  })

  it.each([
    "FAIL src/limit.test.ts > usage limit reached",
    "npm ERR! 429 Too Many Requests - GET https://registry.npmjs.org/left-pad",
    "npm error code E429 Too Many Requests",
    "curl: (22) The requested URL returned error: 429",
    "fatal: unable to access 'https://git.example.org/': The requested URL returned error: 429",
    "remote: You have exceeded a secondary rate limit.",
    "docker: toomanyrequests: You have reached your pull rate limit.",
  ])("are those of a tool (%s)", (line) => {
    expect(problemInStderr(line)).toBeUndefined()
  })
})
