import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { driveOf } from "@switchyard/runner/agents/task-program"
import { describe, expect, it } from "vitest"

describe("the other way to run Codex, which asks nothing", () => {
  it.each(PermissionMode.options)("is for agents that need not ask: %s", (mode) => {
    const input: AgentInput = {
      ...{ task: "Do it.", cli: "codex", account: null, model: null, reasoning: null, repository: null },
      terminal: { rows: 24, cols: 80 },
    }
    const folders = { root: "/project", cwd: "/project", home: "/home/anna" }
    const task = { ...folders, prompt: "Do it.", model: null, reasoning: null, resume: null, mode }
    const { args } = driveOf(input, task, { apiKey: null, baseUrl: null }, true).command
    expect(args.includes("--dangerously-bypass-approvals-and-sandbox")).toBe(mode === "bypass")
  })
})
