import { decideTeamCommand } from "@switchyard/core/sessions/agents/team-permissions"
import type { SessionState } from "@switchyard/core/state"
import { expect, it } from "vitest"

const rules = {
  deny: [{ tool: "bash", command: "touch" }],
  ask: [],
  allow: [{ tool: "bash", command: "ls" }],
  read_only: [],
}

/** The parts of a session's state that the decision reads. */
function stateWith(read: object): SessionState {
  const questions = { sessionRules: [], agents: {}, repositoryRules: { lib: { commit: "c", ...read } } }
  const team = {
    commands: { mode: "ask", rules: [{ tool: "any", effect: "allow" }] },
    workers: {},
    base: { worktree: "lib" },
  }
  return { questions, team } as unknown as SessionState
}

it("decides on a worker's commands by the rules of the worktree's repository, too", () => {
  const decide = (read: object, command: string) => decideTeamCommand(stateWith(read), "w1", command)
  expect(decide({ rules }, "touch x").effect).toBe("deny")
  expect(decide({ rules }, "make").effect).toBe("allow")
  expect(decide({ rules: null }, "touch x").effect).toBe("allow")
  expect(decide({ rules: null, fault: "Line 2 is wrong." }, "make")).toEqual({
    effect: "deny",
    reason: "Line 2 is wrong.",
  })
})
