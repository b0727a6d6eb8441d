import { clis } from "@switchyard/core/agents/clis/clis"
import { agentTitle, CLI_TITLES, cliTitle, nextAgentName } from "@switchyard/core/agents/clis/titles"
import { AgentName } from "@switchyard/core/agents/conversations/agent-schema"
import { expect, it } from "vitest"

it("names the first agent, and those named after their program, like the program", () => {
  expect(agentTitle("main", "claude")).toBe("Claude Code")
  expect(agentTitle("main", null)).toBe("Agent")
  expect(agentTitle("claude-code-2", "claude")).toBe("Claude Code 2")
  expect(agentTitle("opencode-3", "opencode")).toBe("opencode 3")
  for (const name of ["claude-code", "claude-code-fast", "codex-2", "tests"]) {
    expect(agentTitle(name, "claude")).toBe(name)
  }
  expect(agentTitle("main", "from-a-newer-server")).toBe("from-a-newer-server")
})

it("offers a name for another agent that is free, valid, and shown as the program's", () => {
  for (const cli of Object.keys(clis)) {
    const name = nextAgentName(cliTitle(cli), ["main", nextAgentName(cliTitle(cli), []).toUpperCase()])
    expect(AgentName.parse(name)).toBe(name)
    expect(agentTitle(name, cli)).toBe(`${cliTitle(cli)} 3`)
  }
})

it("has the title of each program", () => {
  expect(Object.fromEntries(Object.entries(clis).map(([id, { title }]) => [id, title]))).toEqual(CLI_TITLES)
})
