import type { Message } from "@switchyard/core/models/provider"
import { afterEach, describe, expect, it } from "vitest"
import { answerOf, isCoordinator } from "../core/work/teams/team-model.ts"
import { createScriptedProvider } from "../fixtures/scripted-model.ts"
import { startServer, type TestServer } from "./server.ts"

type Call = [name: string, args: Record<string, unknown>]

let server: TestServer | undefined
afterEach(() => server?.close())

const told: string[] = []

/**
 * Returns the next calls of a coordinator that assigns node `a` to a worker of type `maker`, retries it once if it
 * fails, and finishes.
 */
function coordinate(messages: readonly Message[], node: object): Call[] {
  const last = messages.at(-1)
  const assign: Call = ["assign_worker", { node_id: "a", worker_id: "Ada" }]
  if (messages.length === 1) {
    return [
      ["spawn_worker", { name: "Ada", role: "Makes", type: "maker" }],
      ["create_work_node", { node_id: "a", task: "Make tea.txt", ...node }],
      assign,
    ]
  }
  if (last?.role !== "user") return []
  const said = String(last.content)
  told.push(said)
  if (said.includes("a is completed.")) return [["finish", { summary: "Done." }]]
  if (!said.includes("a failed.")) return []
  const isFirst = told.filter((text) => text.includes("a failed.")).length === 1
  return isFirst ? [["retry_node", { node_id: "a" }], assign] : [["finish", { summary: "Not made." }]]
}

async function startTeam(command: string, { node = {}, ...request }: { node?: object; [field: string]: unknown } = {}) {
  told.length = 0
  const model = createScriptedProvider(({ messages, tools }) => {
    if (!isCoordinator(tools)) throw new Error("No model works here.")
    return answerOf(coordinate(messages, node), messages.length)
  })
  server = await startServer({ scripted: model })
  const json = { goal: "Tea", consent: true, worker_commands: [{ name: "maker", command }], ...request }
  const { status, body } = await server.call("POST", "/api/v1/teams", { json })
  return { server, status, body }
}

async function nodeOf(server: TestServer, id: string) {
  return (await server.call("GET", `/api/v1/teams/${id}/board/a`)).body
}

async function filesOf(server: TestServer, id: string): Promise<Record<string, string>> {
  return (await server.call("GET", `/workspace/files?workspace_id=${id}`)).body.files
}

describe("a worker that is a command", () => {
  it("finds its task in files, writes to others, and publishes what it leaves, without a model", async () => {
    const { server, body: team } = await startTeam(
      [
        "grep -q 'Make tea.txt' _task.md && grep -q '\"node\": \"a\"' _context.json && test ! -s _inbox.md || exit 9",
        "echo green > tea.txt",
        "printf 'TO: human\\nWhich water?\\n---\\nI began.\\n' > _outbox.md",
        "echo 'Tea is made.' > _result.md; echo noise",
      ].join("; "),
    )
    expect((await server.ended(team.run_id)).status).toBe("completed")
    expect(await nodeOf(server, team.id)).toMatchObject({
      ...{ status: "completed", result: "Tea is made.", published_files: ["result.md", "tea.txt"] },
      budget: { used: { tokens: 0, usd: 0, usd_is_complete: true } },
    })
    expect(await filesOf(server, team.id)).toMatchObject({ "tea.txt": "green\n", "result.md": "Tea is made.\n" })
    expect(Object.keys(await filesOf(server, team.id)).filter((path) => path.includes("/_"))).toEqual([])
    expect(told.join("\n")).toContain("Message from Ada:\nI began.")
    const { messages } = (await server.call("GET", `/api/v1/teams/${team.id}/messages`)).body
    expect(messages).toContainEqual(expect.objectContaining({ to: "human", content: "Which water?" }))
    const { workers } = (await server.call("GET", `/api/v1/teams/${team.id}/board`)).body
    expect(workers).toMatchObject([{ name: "Ada", type: "autonomous", command: expect.stringContaining("grep") }])
    expect(server.reported).toEqual([])
  })

  it("has what it printed last as its result where it leaves no other, and nobody asked for a command that was named", async () => {
    const { server, body: team } = await startTeam("echo All is well.", { permission_mode: "ask" })
    expect((await server.ended(team.run_id)).status).toBe("completed")
    expect(await nodeOf(server, team.id)).toMatchObject({ status: "completed", result: "All is well." })
  })

  it("is told what its checks say, and runs again", async () => {
    const command =
      "if grep -q 'node:' _inbox.md || grep -q cat _inbox.md; then echo y > b.txt; fi; echo Done > _result.md"
    const { server, body: team } = await startTeam(command, { node: { checks: { build: "cat b.txt" } } })
    expect((await server.ended(team.run_id)).status).toBe("completed")
    const node = await nodeOf(server, team.id)
    expect(node).toMatchObject({ status: "completed", verdict: { status: "passed" } })
    expect(node.commands).toHaveLength(2)
    expect(node.published_files).toEqual(["b.txt", "result.md"])
  })

  it.each(["exit 3", "true"])(
    "fails where it leaves nothing (%s), and runs again where that is wanted",
    async (command) => {
      const { server, body: team } = await startTeam(command)
      expect((await server.ended(team.run_id)).status).toBe("completed")
      const node = await nodeOf(server, team.id)
      expect(node).toMatchObject({ status: "failed", published_files: [] })
      expect(node.result).toContain("The command didn't produce a result.")
      expect(node.commands).toHaveLength(2)
      expect((await filesOf(server, team.id))["nodes/a/failure_notes.md"]).toContain(
        "The command didn't produce a result.",
      )
    },
  )

  it.each([
    [{ consent: false }, "consent_required"],
    [{ permission_mode: "plan" }, "task_invalid"],
    [{ worker_commands: [{ name: "harnessed", command: "true" }] }, "task_invalid"],
    [{ worker_commands: [1, 2].map(() => ({ name: "maker", command: "true" })) }, "task_invalid"],
    [{ worker_commands: [{ name: "Maker Two", command: "true" }] }, "validation_error"],
  ])("is refused with %j", async (request, code) => {
    const { status, body } = await startTeam("true", request)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(JSON.stringify(body)).toContain(code)
  })

  it("is stopped after the time that it was given, and told so; the board has its limits", async () => {
    const limits = { timeout_seconds: 1, network: true }
    const worker_commands = [{ name: "maker", command: "echo begun; sleep 600", ...limits }]
    const { server, body: team } = await startTeam("", { worker_commands })
    expect((await server.ended(team.run_id)).status).toBe("completed")
    expect(await nodeOf(server, team.id)).toMatchObject({
      status: "failed",
      result: expect.stringContaining("The command was stopped because it timed out."),
    })
    const { body: board } = await server.call("GET", `/api/v1/teams/${team.id}/board`)
    expect(board.worker_commands).toEqual([{ name: "maker", command: "echo begun; sleep 600", ...limits }])
    const { body } = await server.call("GET", `/api/v1/sessions/${team.id}/events?limit=1000`)
    const commands = body.events.filter(
      ({ type, kind }: { type: string; kind: string }) => type === "run_created" && kind === "shell_command",
    )
    expect(commands[0].input).toMatchObject(limits)
    expect(server.reported).toEqual([])
  })

  it("is added to a team by a person, by the name of its command", async () => {
    const { server, body: team } = await startTeam("echo made > tea.txt")
    const add = (command: string) =>
      server.call("POST", `/api/v1/teams/${team.id}/workers`, { json: { name: command, role: "Makes", command } })
    expect((await server.ended(team.run_id)).status).toBe("completed")
    expect((await add("maker")).status).toBe(409)
    const { body: other } = await server.call("POST", "/api/v1/teams", {
      json: { goal: "Tea", mode: "infinite", consent: true, worker_commands: [{ name: "maker", command: "true" }] },
    })
    const addTo = (command: string) =>
      server.call("POST", `/api/v1/teams/${other.id}/workers`, { json: { name: command, role: "Makes", command } })
    expect((await addTo("baker")).body.error.message).toContain("no worker command named baker")
    const { status, body } = await addTo("maker")
    expect(status).toBe(201)
    expect(body.workers).toContainEqual(expect.objectContaining({ name: "maker", type: "autonomous", command: "true" }))
  })
})
