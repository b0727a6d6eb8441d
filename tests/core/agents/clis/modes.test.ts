import type { AgentTask, LaunchPlan } from "@switchyard/core/agents/clis/cli"
import { BuiltInCli, clis } from "@switchyard/core/agents/clis/clis"
import { acp } from "@switchyard/core/agents/protocols/acp"
import { protocols } from "@switchyard/core/agents/protocols/protocols"
import { describe, expect, it } from "vitest"

type Real = Exclude<BuiltInCli, "mock">

const real = BuiltInCli.options.filter((cli): cli is Real => cli !== "mock")
const modes = ["ask", "accept_edits", "plan"] as const

const taskIn = (mode: AgentTask["mode"]): AgentTask => ({
  prompt: "the task",
  root: "/project",
  cwd: "/project",
  home: "/home/anna",
  model: null,
  reasoning: null,
  resume: null,
  mode,
})
const planOf = (cli: BuiltInCli, mode: AgentTask["mode"]) =>
  clis[cli].plan(taskIn(mode), { apiKey: "key", baseUrl: null }, protocols)
const bytesOf = (...messages: object[]) =>
  Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(""))
/** Parses these messages. Returns the opening text, all text sent in response, and the failed turns. */
function hear({ protocol }: Pick<LaunchPlan, "protocol">, ...messages: object[]) {
  const opened = protocol.open()
  const heard = messages.map((message) => protocol.parse(bytesOf(message)))
  const failed = heard.flatMap(({ events }) => events).filter(({ type }) => type === "turn_failed")
  return { failed, opened, sent: heard.map(({ send }) => send).join("") }
}

/** Each program's first report of its mode, in the format of its pinned version. */
const acpReport = (version: string, opened: object) => [
  { id: 1, result: { protocolVersion: 1, agentInfo: { name: "it", version } } },
  { id: 2, result: { sessionId: "ses-1", ...opened } },
]
const acpMode = (mode: string) => ({ modes: { currentModeId: mode, availableModes: [] } })
const codexReport = (approvalPolicy: string) => [
  { id: 1, result: {} },
  { id: 2, result: { thread: { id: "thr-1" }, approvalPolicy } },
]
const reports: Record<Real, (mode: string) => object[]> = {
  claude: (permissionMode) => [{ type: "system", subtype: "init", session_id: "ses-1", permissionMode }],
  qwen: (permission_mode) => [{ type: "system", subtype: "init", session_id: "ses-1", permission_mode }],
  codex: codexReport,
  gemini: (mode) => acpReport("0.61.0", acpMode(mode)),
  vibe: (mode) => acpReport("3.0.3", acpMode(mode)),
  opencode: (mode) => acpReport("1.18.33", { configOptions: [{ id: "mode", currentValue: mode }] }),
}
const right: Record<Real, string> = {
  claude: "default",
  qwen: "default",
  codex: "untrusted",
  gemini: "default",
  vibe: "ask",
  opencode: "build",
}
const loose: Record<Real, string[]> = {
  claude: ["acceptEdits", "bypassPermissions", "auto", "dontAsk", ""],
  qwen: ["auto-edit", "auto", "yolo", ""],
  codex: ["on-request", "never", ""],
  gemini: ["autoEdit", "yolo", ""],
  vibe: ["accept-edits", "auto-approve", "smart-approve", ""],
  opencode: ["custom", ""],
}

describe.each(real)("the mode of %s", (cli) => {
  it.each(modes)("is set at its start, and the task begins if it reports it: %s", (mode) => {
    const report = mode === "plan" && (cli === "claude" || cli === "qwen") ? "plan" : right[cli]
    const { failed, opened, sent } = hear(planOf(cli, mode), ...reports[cli](report))
    expect(failed).toEqual([])
    expect(opened + sent).toContain("the task")
    expect(sent).not.toContain("set_mode")
    const { args, env } = planOf(cli, mode).command
    expect([args, env].map((part) => JSON.stringify(part)).join()).toMatch(
      cli === "codex" ? /app-server/ : cli === "opencode" ? /"edit\\":\\"ask/ : new RegExp(report),
    )
  })

  it.each(loose[cli].flatMap((report) => modes.map((mode) => [report, mode] as const)))(
    "fails the task if it reports %j in the mode %s",
    (report, mode) => {
      const { failed, sent } = hear(planOf(cli, mode), ...reports[cli](report), { id: 4, result: null })
      expect(failed).toMatchObject([{ problem: { kind: "unknown" } }])
      expect(sent).not.toContain("the task")
    },
  )

  it("need not be reported where nothing is asked", () => {
    const { failed, opened, sent } = hear(planOf(cli, "bypass"), ...reports[cli](right[cli]))
    expect(failed).toEqual([])
    expect(opened + sent).toContain("the task")
  })
})

describe("the mode of an ACP agent", () => {
  const dialogue = () => ({ protocol: acp(taskIn("ask"), { mode: "ask" }) })
  const other = acpReport("3.0.3", acpMode("accept-edits"))

  it("is changed where it is another, before the task is sent", () => {
    const plan = dialogue()
    const before = hear(plan, ...other)
    expect(before.sent).toContain('"session/set_mode","params":{"sessionId":"ses-1","modeId":"ask"}')
    expect(before.sent).not.toContain("the task")
    expect(plan.protocol.parse(bytesOf({ id: 4, result: {} })).send).toContain("the task")
  })

  it.each([
    ["is refused", { id: 4, error: { code: -32602, message: "No such mode" } }],
    ["has no answer's content", { id: 4, result: null }],
  ])("fails the task where its change %s", (_what, answer) => {
    const { failed, sent } = hear(dialogue(), ...other, answer)
    expect(failed).toHaveLength(1)
    expect(sent).not.toContain("the task")
  })

  it("ends the turn where it changes in its midst", () => {
    const plan = dialogue()
    hear(plan, ...acpReport("3.0.3", acpMode("ask")))
    const update = { sessionUpdate: "current_mode_update", currentModeId: "auto-approve" }
    const { events, send } = plan.protocol.parse(bytesOf({ method: "session/update", params: { update } }))
    expect(events).toMatchObject([{ type: "turn_failed" }])
    expect(send).toContain("session/cancel")
  })
})

it("fails a task of Claude's whose mode changes in its midst", () => {
  const plan = planOf("claude", "ask")
  hear(plan, ...reports.claude("default"))
  const status = { type: "system", subtype: "status", permissionMode: "bypassPermissions" }
  const { events, send } = plan.protocol.parse(bytesOf(status))
  expect(events).toMatchObject([{ type: "turn_failed" }])
  expect(send).toContain("interrupt")
})

it.each(["1.18.34", ""])("fails a task of opencode %j, whose permissions were never tried", (version) => {
  const report = acpReport(version, { configOptions: [{ id: "mode", currentValue: "build" }] })
  const { failed, sent } = hear(planOf("opencode", "ask"), ...report)
  expect(failed).toMatchObject([{ problem: { message: expect.stringContaining("1.18.33") } }])
  expect(sent).not.toContain("session/new")
  expect(hear(planOf("opencode", "bypass"), ...report).failed).toEqual([])
})
