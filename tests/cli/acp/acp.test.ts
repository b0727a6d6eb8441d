import { spawn } from "node:child_process"
import { once } from "node:events"
import { dirname, join } from "node:path"
import { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../depth.ts"
import { makeRepository } from "../../functions/agents/repository.ts"
import { startServer, type TestServer } from "../../functions/server.ts"

const MAIN = fileURLToPath(new URL("../../../packages/cli/src/main.mjs", import.meta.url))

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const editor of open.splice(0)) await editor.close()
})

type Answering = (asked: RequestPermissionRequest, settled: AbortSignal) => Promise<string | undefined>

/** Starts the CLI's ACP server as a child process and connects an ACP client to it, as an editor does. */
async function startEditor({ args = [] as string[], env = {}, answering = (async () => "allow") as Answering } = {}) {
  const { PATH = "", HOME = "" } = process.env
  const child = spawn(process.execPath, [MAIN, "acp", "--agent", "mock", ...args], {
    env: { PATH, HOME, SWITCHYARD_URL: server.url, ...env },
  })
  const stderr: string[] = []
  child.stderr.setEncoding("utf8").on("data", (text) => stderr.push(text))
  const exited = once(child, "exit")
  const updates: SessionUpdate[] = []
  const asked: RequestPermissionRequest[] = []
  const app = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(
      methods.client.session.requestPermission,
      async ({ params, signal }): Promise<RequestPermissionResponse> => {
        asked.push(params)
        const optionId = await answering(params, signal)
        return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } }
      },
    )
  const output = Writable.toWeb(child.stdin)
  const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>
  const connection = app.connect(ndJsonStream(output, input))
  const editor = {
    child,
    agent: connection.agent,
    updates,
    asked,
    stderr: () => stderr.join(""),
    /** Returns the agent's messages, without its thoughts. */
    said: () => textOf(updates, "agent_message_chunk"),
    initialize: () =>
      connection.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} }),
    newSession: (cwd: string) => connection.agent.request(methods.agent.session.new, { cwd, mcpServers: [] }),
    prompt: (sessionId: string, text: string) =>
      connection.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }),
    /** Closes the agent's stdin and resolves to the exit code. */
    async hangUp(): Promise<number> {
      child.stdin.end()
      const [code] = await exited
      return code
    },
    async close() {
      child.kill("SIGKILL")
      await exited
    },
  }
  open.push(editor)
  const capabilities = await editor.initialize()
  return { ...editor, capabilities }
}

const textOf = (updates: SessionUpdate[], kind: "agent_message_chunk" | "user_message_chunk") =>
  updates
    .flatMap((update) => (update.sessionUpdate === kind && update.content.type === "text" ? [update.content.text] : []))
    .join("")

let repositories = 0
const newRepository = () => makeRepository(join(dirname(server.folder), `editor-${repositories++}`))
const mock = (knobs: object) => `Do it. mock: ${JSON.stringify(knobs)}`

const branchOf = async (sessionId: string): Promise<string> =>
  (await server.settled("GET", `/api/v1/sessions/${sessionId}/worktree`)).body.branch

describe("an editor with Switchyard as its agent", () => {
  it("is told what it can do, and is given a session in the folder that is open", async () => {
    const editor = await startEditor()
    expect(editor.capabilities).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "switchyard" },
      agentCapabilities: { loadSession: true, promptCapabilities: { embeddedContext: true } },
    })
    const { folder } = newRepository()
    const { sessionId, modes } = await editor.newSession(folder)
    expect(modes).toMatchObject({ currentModeId: "ask" })
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(["ask", "accept_edits", "plan", "bypass"])
    const { repository } = (await server.call("GET", `/api/v1/sessions/${sessionId}`)).body
    expect(repository).toBe(folder)
  })

  it("shows a prompt's text and tools, and the work is on a branch of the repository", async () => {
    const editor = await startEditor()
    const repository = newRepository()
    const { sessionId } = await editor.newSession(repository.folder)
    const words = mock({ say: "I begin.", commands: ["echo hello"], files: { "a.txt": "one\n" } })
    expect(await editor.prompt(sessionId, words)).toEqual({ stopReason: "end_turn" })
    expect(editor.said()).toContain("I begin.\n\n")
    // The editor already shows its user's own prompt.
    expect(textOf(editor.updates, "user_message_chunk")).toBe("")
    const tools = editor.updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")
    expect(tools).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ title: "echo hello", kind: "execute", status: "in_progress" }),
        expect.objectContaining({ title: "May I run echo hello?", status: "pending" }),
        expect.objectContaining({ title: "Write a.txt", kind: "edit" }),
      ]),
    )
    const ended = editor.updates.flatMap((one) => (one.sessionUpdate === "tool_call_update" ? [one] : []))
    expect(ended.map(({ status }) => status)).toEqual(["completed", "completed", "completed", "completed"])
    expect(ended.map(({ toolCallId }) => toolCallId).sort()).toEqual(
      tools.map((one) => ("toolCallId" in one ? one.toolCallId : "")).sort(),
    )
    expect(repository.git("show", `${await branchOf(sessionId)}:a.txt`)).toBe("one\n")
    expect(editor.stderr()).toBe("")
  })

  it("is asked with the change, and its answer is the agent's", async () => {
    const editor = await startEditor({ answering: async ({ options }) => options.at(-1)?.optionId })
    const { sessionId } = await editor.newSession(newRepository().folder)
    expect(await editor.prompt(sessionId, mock({ files: { "a.txt": "one\n" } }))).toEqual({ stopReason: "end_turn" })
    expect(editor.asked).toMatchObject([
      {
        sessionId,
        options: [
          { optionId: "allow", kind: "allow_once" },
          { optionId: "allow_all", kind: "allow_always" },
          { optionId: "deny", kind: "reject_once" },
        ],
      },
    ])
    const shown = editor.updates.find(
      (one) => "toolCallId" in one && one.toolCallId === editor.asked[0]?.toolCall.toolCallId,
    )
    expect(shown).toMatchObject({
      title: "May I write a.txt?",
      content: [{ type: "content", content: { text: "```diff\n+one\n```" } }],
    })
    expect(editor.said()).toContain("I was told: A person denied this.")
  })

  itDeep("is asked no more for edits once it allowed them all, and its mode is then another", async () => {
    const editor = await startEditor({ answering: async () => "allow_all" })
    const { sessionId } = await editor.newSession(newRepository().folder)
    await editor.prompt(sessionId, mock({ files: { "a.txt": "1", "b.txt": "2" } }))
    await editor.prompt(sessionId, mock({ files: { "c.txt": "3" } }))
    expect(editor.asked).toHaveLength(1)
    expect(editor.updates).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "accept_edits" })
  })

  itDeep("is asked no longer what was answered elsewhere", async () => {
    const settled = Promise.withResolvers<void>()
    const editor = await startEditor({
      answering: (_asked, signal) =>
        new Promise((resolve) => {
          const stop = () => {
            settled.resolve()
            resolve(undefined)
          }
          signal.addEventListener("abort", stop, { once: true })
        }),
    })
    const { sessionId } = await editor.newSession(newRepository().folder)
    const prompted = editor.prompt(sessionId, mock({ files: { "a.txt": "1" } }))
    const at = `/api/v1/sessions/${sessionId}/questions`
    const [{ question_id }] = (await server.call("GET", `${at}?wait=50`)).body.questions
    await expect.poll(() => editor.asked.length).toBe(1)
    await server.call("POST", `${at}/${question_id}/answer`, { json: { choice: "allow" } })
    expect(await prompted).toEqual({ stopReason: "end_turn" })
    await settled.promise
    expect(editor.stderr()).toBe("")
  })

  it("cancels what it asked for, also while the agent waits for an answer", async () => {
    for (const knobs of [{ hangs: true }, { files: { "a.txt": "1" } }]) {
      const editor = await startEditor({
        answering: (_asked, signal) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true })),
      })
      const { sessionId } = await editor.newSession(newRepository().folder)
      const prompted = editor.prompt(sessionId, mock({ say: "I begin.", ...knobs }))
      if ("hangs" in knobs) await expect.poll(() => editor.updates.length).toBeGreaterThan(0)
      else await expect.poll(() => editor.asked.length).toBe(1)
      await editor.agent.notify(methods.agent.session.cancel, { sessionId })
      expect(await prompted).toEqual({ stopReason: "cancelled" })
      // The session accepts another prompt after the cancellation.
      const next = editor.prompt(sessionId, mock({ files: {} }))
      expect(await next).toEqual({ stopReason: "end_turn" })
    }
  })

  it("loads a session in another process, with what was said, and goes on with it", async () => {
    const first = await startEditor()
    const repository = newRepository()
    const { sessionId } = await first.newSession(repository.folder)
    await first.prompt(sessionId, mock({ say: "The first turn.", files: { "a.txt": "1" } }))
    expect(await first.hangUp()).toBe(0)
    const second = await startEditor()
    const cwd = repository.folder
    const listed = await second.agent.request(methods.agent.session.list, { cwd })
    expect(listed.sessions).toMatchObject([{ sessionId, cwd, title: expect.any(String) }])
    const { modes } = await second.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] })
    expect(modes?.currentModeId).toBe("ask")
    expect(textOf(second.updates, "user_message_chunk")).toContain("The first turn.")
    expect(second.said()).toContain("The first turn.\n\n")
    expect(second.updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call").length).toBeGreaterThan(0)
    // The new process doesn't repeat answered permission requests.
    expect(second.asked).toEqual([])
    await second.prompt(sessionId, mock({ say: "The second turn.", files: { "b.txt": "2" } }))
    const branch = await branchOf(sessionId)
    expect([repository.git("show", `${branch}:a.txt`), repository.git("show", `${branch}:b.txt`)]).toEqual(["1", "2"])
  })

  it("takes what is mentioned into the prompt", async () => {
    const editor = await startEditor({ args: ["--mode", "plan"] })
    const { sessionId } = await editor.newSession(newRepository().folder)
    await editor.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: `${mock({})} Look at ` },
        { type: "resource_link", name: "a.ts", uri: "file:///a.ts" },
        { type: "resource", resource: { uri: "file:///b.md", text: "```\ncode\n```" } },
      ],
    })
    const types = "event_types=user_message"
    const { events } = (await server.call("GET", `/api/v1/sessions/${sessionId}/events?${types}`)).body
    expect(events[0].content).toContain("Look at [a.ts](file:///a.ts)\n\nfile:///b.md:\n````\n```\ncode\n```\n````")
  })

  itDeep("sets the mode of what it asks next", async () => {
    const editor = await startEditor()
    const { sessionId } = await editor.newSession(newRepository().folder)
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: "plan" })
    await editor.prompt(sessionId, mock({ files: { "a.txt": "1" } }))
    expect(editor.asked).toEqual([])
    const failed = editor.updates.filter((one) => one.sessionUpdate === "tool_call_update" && one.status === "failed")
    expect(failed).toHaveLength(1)
    const wrong = editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: "root" })
    await expect(wrong).rejects.toMatchObject({ code: -32602 })
  })

  itDeep("is told in the server's words what went wrong, and can go on", async () => {
    const editor = await startEditor()
    const nowhere = join(dirname(server.folder), "nowhere")
    await expect(editor.newSession(nowhere)).rejects.toMatchObject({ data: { code: "task_invalid" } })
    await expect(editor.prompt("none", "x")).rejects.toMatchObject({ code: -32002 })
    const load = { sessionId: "none", cwd: "/", mcpServers: [] }
    await expect(editor.agent.request(methods.agent.session.load, load)).rejects.toMatchObject({ code: -32002 })
    const { sessionId } = await editor.newSession(newRepository().folder)
    const failing = editor.prompt(sessionId, mock({ fails: { status: 401, message: "The key is not valid." } }))
    await expect(failing).rejects.toThrow("The key is not valid.")
    await expect(editor.prompt(sessionId, " ")).rejects.toMatchObject({ data: { code: "invalid_request" } })
    expect(await editor.prompt(sessionId, mock({ files: {} }))).toEqual({ stopReason: "end_turn" })
  })

  it("survives what is no message", async () => {
    const editor = await startEditor()
    editor.child.stdin.write(
      '{"jsonrpc": "2.0", nonsense\n[]\n\n"text"\n{"jsonrpc":"2.0","id":7,"method":"session/none"}\n',
    )
    const { sessionId } = await editor.newSession(newRepository().folder)
    expect(sessionId).toMatch(/^\w+$/)
  })

  itDeep("leaves a run to go on when it hangs up", async () => {
    const editor = await startEditor()
    const { sessionId } = await editor.newSession(newRepository().folder)
    const prompted = editor.prompt(sessionId, mock({ hangs: true })).catch(() => "gone")
    await expect.poll(() => editor.updates.length).toBeGreaterThan(0)
    expect(await editor.hangUp()).toBe(0)
    expect(await prompted).toBe("gone")
    const { active_run } = (await server.call("GET", `/api/v1/sessions/${sessionId}`)).body
    expect(active_run.status).toBe("running")
    await server.call("POST", `/v1/runs/${active_run.run_id}/cancel`)
    await server.ended(active_run.run_id)
  })
})
