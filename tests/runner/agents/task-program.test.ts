import { clis } from "@switchyard/core/agents/clis/clis"
import { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { driveOf } from "@switchyard/runner/agents/task-program"
import { describe, expect, it } from "vitest"

describe("the other way to run Codex, which asks nothing", () => {
  it.each(PermissionMode.options)("is for agents that need not ask: %s", (mode) => {
    const folders = { root: "/project", cwd: "/project", home: "/home/anna" }
    const task = { ...folders, prompt: "Do it.", model: null, reasoning: null, resume: null, mode }
    const plan = driveOf(clis.codex, task, { apiKey: null, baseUrl: null }, true)
    const args = "command" in plan ? plan.command.args : []
    expect(args.includes("--dangerously-bypass-approvals-and-sandbox")).toBe(mode === "bypass")
  })
})
