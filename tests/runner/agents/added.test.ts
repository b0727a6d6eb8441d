import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { parseAddedAgents } from "@switchyard/core/agents/added/added"
import type { AgentAccount } from "@switchyard/core/agents/clis/cli"
import { describe, expect, it } from "vitest"
import { LIMIT_MS } from "../../settings.ts"
import { openWorkshop, processesWith, type Workshop } from "./workshop.ts"

const PROGRAM = join(import.meta.dirname, "../../fixtures/added/acp-agent.mjs")
const MODES = { ask: "careful", bypass: "free" }

/** An agent that the operator adds, with its settings in the operator's format. */
function acpAgent(fault = "", more: object = {}) {
  return added("helper", { acp: [process.execPath, PROGRAM, fault], modes: MODES, ...more })
}

function added(id: string, settings: object): { cli: string; account: AgentAccount } {
  const entry = parseAddedAgents({ [id]: settings }).get(id)
  return { cli: id, account: { apiKey: null, baseUrl: null, added: entry } }
}

/** Runs a task of an added agent. */
function work(
  shop: Workshop,
  { cli, account }: ReturnType<typeof added>,
  task: string,
  changes = {},
  signal?: AbortSignal,
) {
  const plain = { account: null, model: null, reasoning: null, repository: null, terminal: { rows: 24, cols: 80 } }
  return shop.work(task, { input: { ...plain, task, cli }, account, ...changes }, signal)
}

const acp = (knobs: object) => `Work. acp: ${JSON.stringify(knobs)}`
const said = (shop: Workshop) => JSON.stringify(shop.of("assistant_message"))

describe("an added agent that speaks ACP", () => {
  it("does a task, reports its session and its changes, and resumes its session", async () => {
    await using shop = await openWorkshop()
    const end = await work(shop, acpAgent(), acp({ files: { "a.txt": "made\n" } }))
    expect(end).toMatchObject({ outcome: { type: "completed" }, summary: { files_changed: ["a.txt"] } })
    expect(await readFile(join(shop.project, "a.txt"), "utf8")).toBe("made\n")
    expect(shop.of("tool_call_started")[0]).toMatchObject({ tool: "edit", path: "a.txt" })
    const later = await work(shop, acpAgent(), acp({ recall: true }), { resume: end.nativeSession, followUp: true })
    expect(later.nativeSession).toBe(end.nativeSession)
    expect(said(shop)).toContain("I was told 2 times.")
  })

  it("gets a new session if it can't load sessions", async () => {
    await using shop = await openWorkshop()
    const end = await work(shop, acpAgent("forgets"), acp({ recall: true }), { resume: "native-1", followUp: true })
    expect(end.outcome).toEqual({ type: "completed" })
    expect(said(shop)).toContain("I was told 1 times.")
  })

  it("asks in the mode of its settings, and is refused what a rule denies", async () => {
    await using shop = await openWorkshop()
    const rule = { tool: "any" as const, path: "secret.txt", effect: "deny" as const }
    shop.decisions.ofAgent("main").begin({ mode: "accept_edits", rules: [rule] })
    await work(shop, acpAgent(), acp({ files: { "a.txt": "1", "secret.txt": "2" } }))
    expect(shop.of("agent_permitted")).toHaveLength(1)
    expect(shop.of("agent_refused")).toHaveLength(1)
    await expect(readFile(join(shop.project, "secret.txt"))).rejects.toThrow("ENOENT")
  })

  it("gets our tools as an MCP server, its account's key, and nothing of the runner's environment", async () => {
    await using shop = await openWorkshop()
    const tools = { url: "http://127.0.0.1:9/t/token", bareUrl: "http://127.0.0.1:9/t", token: "token" }
    const agent = acpAgent("", { key: "HELPER_KEY", env: { HELPER_MODEL: "small" } })
    const account = { ...agent.account, apiKey: "sk-helper" }
    await work(shop, { ...agent, account }, acp({ env: "HELPER_KEY" }), { tools })
    await work(shop, { ...agent, account }, acp({ env: "HELPER_MODEL" }))
    await work(shop, { ...agent, account }, acp({ env: "VITEST" }))
    const opened = (await readFile(join(shop.folder, "homes/mock/.agent/opened"), "utf8")).split("\n")
    expect(JSON.parse(opened[0] ?? "").mcpServers).toEqual([
      {
        ...{ type: "http", name: "switchyard", url: "http://127.0.0.1:9/t" },
        headers: [{ name: "Authorization", value: "Bearer token" }],
      },
    ])
    for (const text of ["HELPER_KEY=sk-helper", "HELPER_MODEL=small", "VITEST=undefined"]) {
      expect(said(shop)).toContain(text)
    }
  })

  it.each([
    [
      "has no such mode",
      "",
      { modes: { ask: "strict" } },
      'no mode "strict". The agent\'s modes are "careful", "free"',
    ],
    ["has modes, but its settings name none", "", { modes: {} }, "can only work in the mode bypass"],
    [
      "has modes, but its settings say that it has none",
      "",
      { modes: { ask: null } },
      "can only work in the mode bypass",
    ],
    ["reports no modes", "no modes", {}, "The agent reports no modes."],
    ["acts without asking", "lies", {}, "used a tool (edit) without asking"],
  ])("is stopped in a mode that asks if it %s", async (_, fault, more, message) => {
    await using shop = await openWorkshop()
    shop.decisions.ofAgent("main").begin({ mode: "ask", rules: [] })
    const { outcome } = await work(shop, acpAgent(fault, more), acp({ files: { "a.txt": "1" } }))
    expect(outcome).toMatchObject({ type: "failed", message: expect.stringContaining(message) })
    expect(shop.of("question_asked")).toEqual([])
  })

  it("is told that it may not read files through the client", async () => {
    await using shop = await openWorkshop()
    await work(shop, acpAgent(), acp({ reads: "/etc/passwd" }))
    expect(said(shop)).toContain("Method not found")
    expect(said(shop)).not.toContain("root:")
  })

  it("can't confuse the client with responses that nobody asked for", async () => {
    await using shop = await openWorkshop()
    const end = await work(shop, acpAgent("wrong ids"), acp({ files: { "a.txt": "made\n" } }))
    expect(end.outcome).toEqual({ type: "completed" })
    expect(end.nativeSession).not.toBe("stolen")
    const opened = await readFile(join(shop.folder, "homes/mock/.agent/opened"), "utf8")
    expect(opened.trim().split("\n")).toHaveLength(1)
  })

  it("can't report a session ID that isn't one", async () => {
    await using shop = await openWorkshop()
    const { outcome } = await work(shop, acpAgent("bad session"), acp({}))
    expect(outcome).toMatchObject({ message: "The agent reported an invalid session ID." })
  })

  it.each(["hangs", "floods"])("ends with all its processes if it %s from the start", async (fault) => {
    await using shop = await openWorkshop({ ...(fault === "hangs" && { patience: impatience }) })
    const stop = new AbortController()
    const end = work(shop, acpAgent(fault), acp({}), {}, stop.signal)
    await shop.seen(fault === "floods" ? "agent_todos_changed" : "agent_turn_started")
    if (fault === "floods") stop.abort()
    expect((await end).outcome).toMatchObject({ problem: fault === "floods" ? "interrupted" : "timeout" })
    expect(await processesWith(shop.deps.family)).toEqual([])
  })
})

const impatience = {
  ...{ firstMs: 1000, idleMs: 1000, busyMs: 1000, leaveMs: 2000, answerMs: LIMIT_MS },
  retryMs: 0,
}

const bash = (settings: object = {}) => added("shell", { command: ["bash", "-c", "{prompt}"], ...settings })

describe("an added command in a terminal", () => {
  it("gets the task's words as an argument, and completes when it exits with 0", async () => {
    await using shop = await openWorkshop()
    const end = await work(shop, bash(), "echo made >a.txt && echo I made it.")
    expect(end).toMatchObject({ outcome: { type: "completed" }, nativeSession: null })
    expect(await readFile(join(shop.project, "a.txt"), "utf8")).toBe("made\n")
    expect(said(shop)).toContain("I made it.")
    expect(shop.of("terminal_output")[0]?.data).toContain("I made it.")
    expect(shop.of("agent_turn_finished")[0]).toMatchObject({ exit_code: 0 })
  })

  it("fails with its exit code and its last words", async () => {
    await using shop = await openWorkshop()
    const { outcome } = await work(shop, bash(), "echo No way. && exit 3")
    expect(outcome).toMatchObject({ type: "failed", message: expect.stringContaining("No way.") })
  })

  it("asks in its terminal, and is answered by keys or by a message", async () => {
    await using shop = await openWorkshop()
    const end = work(shop, bash(), 'read -p "Really? " yes; read -p "Sure? " sure; echo "$yes and $sure"')
    const { pty } = (await shop.seen("agent_turn_started")) as { pty: string }
    const data = Buffer.from("yes\r").toString("base64")
    shop.attachments.receive({ type: "terminal_input", pty, client: "tab", client_seq: 1, data })
    shop.attachments.receive({ type: "agent_message", content: "quite sure", source: "test" })
    expect((await end).outcome).toEqual({ type: "completed" })
    expect(said(shop)).toContain("yes and quite sure")
  })

  it("is resumed with another command, if it has one", async () => {
    await using shop = await openWorkshop()
    const agent = bash({ resume: ["bash", "-c", 'echo resumed; eval "$0"', "{prompt}"] })
    const { nativeSession } = await work(shop, agent, "echo first")
    await work(shop, agent, "echo second", { resume: nativeSession, followUp: true })
    expect(said(shop)).toMatch(/first.*resumed.*second/)
  })

  it("reads its prompt from a file or its keyboard, and ends by silence", async () => {
    await using shop = await openWorkshop()
    const file = await work(shop, added("shell", { command: ["bash", "{prompt_file}"] }), "echo from a file")
    const keys = await work(
      shop,
      added("shell", { command: ["bash", "--norc", "-i"], silence_seconds: 1 }),
      "echo typed >typed.txt",
    )
    expect([file.outcome, keys.outcome]).toEqual([{ type: "completed" }, { type: "completed" }])
    expect(said(shop)).toContain("from a file")
    expect(await readFile(join(shop.project, "typed.txt"), "utf8")).toBe("typed\n")
    expect(await processesWith(shop.deps.family)).toEqual([])
  })

  it("reports a limit by the patterns of its settings, but only if it fails", async () => {
    await using shop = await openWorkshop()
    const agent = bash({ limits: ["out of credits"] })
    const failed = await work(shop, agent, "echo You are Out of Credits today. && exit 1")
    expect(failed.outcome).toEqual({
      ...{ type: "limit", kind: "quota_exhausted" },
      message: "You are Out of Credits today.",
    })
    expect((await work(shop, agent, "echo out of credits")).outcome).toEqual({ type: "completed" })
  })

  it("can't work in a mode that asks, or with a rule that denies", async () => {
    await using shop = await openWorkshop()
    shop.decisions.ofAgent("main").begin({ mode: "ask", rules: [] })
    const { outcome } = await work(shop, bash(), "touch a.txt")
    expect(outcome).toMatchObject({ message: expect.stringContaining("can't ask for permission") })
    await expect(readFile(join(shop.project, "a.txt"))).rejects.toThrow("ENOENT")
  })

  it("is stopped with everything that it started", async () => {
    await using shop = await openWorkshop()
    const stop = new AbortController()
    const end = work(shop, bash(), "setsid sleep 1000 & echo begun; sleep 1000", {}, stop.signal)
    await shop.seen("agent_turn_started")
    stop.abort()
    expect((await end).outcome).toMatchObject({ problem: "interrupted" })
    expect(await processesWith(shop.deps.family)).toEqual([])
  })

  it("is refused without its settings, and with a program that isn't there", async () => {
    await using shop = await openWorkshop()
    const gone = { cli: "shell", account: { apiKey: null, baseUrl: null, added: undefined } }
    expect((await work(shop, gone, "x")).outcome).toMatchObject({ problem: "not_installed" })
    const missing = await work(shop, added("shell", { command: ["switchyard-no-such-program"] }), "x")
    expect(missing.outcome).toMatchObject({ message: expect.stringContaining("shell is not installed") })
  })
})
