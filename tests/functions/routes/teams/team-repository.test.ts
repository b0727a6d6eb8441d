import { chmodSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Message } from "@switchyard/core/models/provider"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { answerOf, isCoordinator } from "../../../core/work/teams/team-model.ts"
import { createScriptedProvider } from "../../../fixtures/scripted-model.ts"
import { makeRepository } from "../../agents/repository.ts"
import { startServer, type TestServer } from "../../server.ts"

type Call = [name: string, args: Record<string, unknown>]

interface Node {
  worker: string
  deps?: string[]
  /** Answers in order. The last answer repeats. */
  turns: Call[][]
  /** Delays the answer with this index. */
  held?: { at: number; until: Promise<unknown> }
}

/** Nodes by id. */
let nodes: Record<string, Node>
let server: TestServer
beforeAll(async () => {
  const model = createScriptedProvider(({ messages, tools }) => {
    const at = messages.filter(({ role }) => role === "assistant").length
    if (isCoordinator(tools)) return answerOf(coordinate(messages), messages.length)
    const [, id = ""] = /Your node is (\w+)/.exec(String(messages[0]?.content)) ?? []
    const { turns = [], held } = nodes[id] ?? {}
    const answer = answerOf(turns[Math.min(at, turns.length - 1)] ?? [], messages.length)
    return held?.at === at ? [held.until, ...answer] : answer
  })
  server = await startServer({ scripted: model })
})
afterAll(() => server.close())

function coordinate(messages: readonly Message[]): Call[] {
  const said = messages.map(({ content }) => String(content)).join("\n")
  const called = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
  const ids = Object.keys(nodes)
  const isDone = (id: string) => said.includes(`${id} is completed.`)
  const isGiven = (id: string) =>
    called.some(({ name, args }) => name === "assign_worker" && (args as { node_id: string }).node_id === id)
  const ready = ids.filter((id) => !isGiven(id) && (nodes[id]?.deps ?? []).every(isDone))
  const given = ready.map((id): Call => ["assign_worker", { node_id: id, worker_id: nodes[id]?.worker }])
  if (ids.every(isDone)) return messages.at(-1)?.role === "user" ? [["finish", { summary: "All is done." }]] : []
  const isCreated = (id: string) =>
    called.some(({ name, args }) => name === "create_work_node" && (args as { node_id: string }).node_id === id)
  const isThere = (worker: string) =>
    called.some(({ name, args }) => name === "spawn_worker" && (args as { name: string }).name === worker)
  const workers = new Set(Object.values(nodes).map(({ worker }) => worker))
  return [
    ...(called.length === 0 ? [["search_files", { text: "TWO" }] as Call] : []),
    ...[...workers].filter((worker) => !isThere(worker)).map((name): Call => ["spawn_worker", { name, role: "Works" }]),
    ...ids
      .filter((id) => !isCreated(id))
      .map((id): Call => ["create_work_node", { node_id: id, task: `Do ${id}`, deps: nodes[id]?.deps ?? [] }]),
    ...given,
  ]
}

const publish: Call = ["publish", { summary: "It is done." }]

async function start(
  name: string,
  files: Record<string, string>,
  { change = (_folder: string) => {}, mode }: { change?: (folder: string) => void; mode?: "infinite" } = {},
) {
  const repository = makeRepository(join(dirname(server.folder), name), files)
  change(repository.folder)
  const json = { goal: "Change it", project_path: repository.folder, mode }
  const { status, body: team } = await server.call("POST", "/api/v1/teams", { json })
  expect(status).toBe(201)
  const answersOf = async (agent: string) => {
    const { body } = await server.call("GET", `/api/v1/sessions/${team.id}/events?limit=1000`)
    const workers = body.events.filter(({ type }: { type: string }) => type === "worker_spawned")
    const { worker_id = agent } = workers.find((worker: { name: string }) => worker.name === agent) ?? {}
    const parts = body.events.filter(
      (event: { type: string; agent_id: string }) =>
        event.type === "conversation_extended" && event.agent_id === worker_id,
    )
    const messages = parts.flatMap((part: { messages: Message[] }) => part.messages) as Message[]
    return messages.flatMap(({ role, content }) => (role === "tool" ? String(content) : []))
  }
  return {
    repository,
    team,
    answersOf,
    subjects: () => repository.git("log", "--topo-order", "--no-merges", "--format=%s", "main").trim().split("\n"),
  }
}

describe("a team of models in a repository", () => {
  it("reads its files, and has them changed, deleted and renamed by one commit a node", async () => {
    nodes = {
      edit: {
        worker: "Ada",
        turns: [
          [
            ["list_files", { path: "src" }],
            ["read_file", { path: "nodes/tree.txt" }],
            ["read_file", { path: "src/count.txt" }],
            ["edit_file", { path: "src/count.txt", edits: [{ search: "two", replace: "three" }] }],
            ["edit_file", { path: "run.sh", edits: [{ search: "one", replace: "two" }] }],
            ["delete_file", { path: "old.txt" }],
            ["read_file", { path: "old.txt" }],
            ["delete_file", { path: "nothing.txt" }],
          ],
          [publish],
        ],
      },
      move: {
        worker: "Lin",
        deps: ["edit"],
        turns: [
          [
            ["search_files", { text: "THREE" }],
            ["search_files", { text: "was here" }],
            ["rename_file", { path: "src/count.txt", to: "lib/count.txt" }],
            ["rename_file", { path: "run.sh", to: "bin/run.sh" }],
            ["rename_file", { path: "lib/count.txt", to: "bin/run.sh" }],
          ],
          [publish],
        ],
      },
    }
    const files = {
      "nodes/tree.txt": "The project's own.\n",
      "src/count.txt": "one\ntwo\n",
      "old.txt": "was here\n",
      "run.sh": "echo one\n",
    }
    const { repository, team, answersOf, subjects } = await start("changed", files, {
      change: (folder) => chmodSync(join(folder, "run.sh"), 0o755),
    })
    repository.git("commit", "-qam", "executable")
    expect((await server.ended(team.run_id)).status).toBe("completed")
    expect((await answersOf("coordinator"))[0]).toBe("src/count.txt:2: two")
    expect(await answersOf("Ada")).toEqual([
      "src/count.txt (8 bytes)",
      "The project's own.\n",
      "one\ntwo\n",
      "Edited src/count.txt.",
      "Edited run.sh.",
      "Deleted old.txt.",
      "ERROR: You have deleted this file.",
      expect.stringMatching(/^ERROR: There is no file nothing\.txt\./),
      "Published src/count.txt, run.sh. Deleted old.txt.",
    ])
    expect((await answersOf("Lin")).slice(0, 5)).toEqual([
      "src/count.txt:2: three",
      "The text wasn't found.",
      "Renamed src/count.txt to lib/count.txt.",
      "Renamed run.sh to bin/run.sh.",
      "ERROR: The file bin/run.sh already exists. Delete it first.",
    ])
    expect(subjects().slice(0, 2)).toEqual(["Do move", "Do edit"])
    expect(repository.git("ls-tree", "-r", "--format=%(objectmode) %(path)", "main").trim().split("\n")).toEqual([
      "100755 bin/run.sh",
      "100644 lib/count.txt",
      "100644 nodes/tree.txt",
    ])
    expect(repository.git("show", "main:lib/count.txt")).toBe("one\nthree\n")
    expect(server.reported).toEqual([])
  })

  it("tells a worker in words of others' changes to its files, and publishes what has both", async () => {
    const first = Promise.withResolvers<void>()
    nodes = {
      slow: {
        worker: "Ada",
        held: { at: 1, until: first.promise },
        turns: [
          [["edit_file", { path: "count.txt", edits: [{ search: "one", replace: "eins" }] }]],
          [publish],
          [publish],
          [
            ["read_file", { path: "nodes/quick/published/count.txt" }],
            ["edit_file", { path: "count.txt", edits: [{ search: "two", replace: "zwei" }] }],
          ],
          [publish],
        ],
      },
      quick: {
        worker: "Lin",
        turns: [[["edit_file", { path: "count.txt", edits: [{ search: "two", replace: "zwei" }] }]], [publish]],
      },
    }
    const { repository, team, answersOf, subjects } = await start("both", { "count.txt": "one\ntwo\n" })
    const quick = async () => (await server.call("GET", `/api/v1/teams/${team.id}/board/quick`)).body.status
    await expect.poll(quick).toBe("completed")
    first.resolve()
    expect((await server.ended(team.run_id)).status).toBe("completed")
    const answers = await answersOf("Ada")
    expect(answers[1]).toContain("- count.txt, by quick: its version is in nodes/quick/published/count.txt")
    expect(answers[2]).toMatch(/^ERROR: .*changes to count\.txt but haven't merged them/)
    expect(answers[3]).toBe("one\nzwei\n")
    expect(repository.git("show", "main:count.txt")).toBe("eins\nzwei\n")
    expect(subjects().slice(0, 2)).toEqual(["Do slow", "Do quick"])
    expect(server.reported).toEqual([])
  })

  it("says why a result can't be committed, and commits it once a person has mended that", async () => {
    const held = Promise.withResolvers<void>()
    nodes = {
      one: {
        worker: "Ada",
        held: { at: 1, until: held.promise },
        turns: [[["write_file", { path: "count.txt", content: "three\n" }]], [publish]],
      },
    }
    const { repository, team } = await start("mended", { "count.txt": "two\n" })
    const events = async () => (await server.call("GET", `/api/v1/sessions/${team.id}/events?limit=1000`)).body.events
    const read = async () => (await events()).find(({ type }: { type: string }) => type === "team_files_read")
    await expect.poll(read).toBeDefined()
    const { worktree } = await read()
    const { body: status } = await server.call("GET", `/api/v1/sessions/${team.id}/worktree?worktree=${worktree}`)
    const tree = status.path
    repository.git("-C", tree, "rm", "-q", "count.txt")
    repository.git("-C", tree, "commit", "-qm", "By hand")
    held.resolve()
    const refused = async () =>
      (await events()).filter(({ type }: { type: string }) => type === "work_node_commit_refused").length
    await expect.poll(refused).toBeGreaterThanOrEqual(2)
    repository.git("-C", tree, "revert", "--no-edit", "HEAD")
    await server.call("POST", `/api/v1/teams/${team.id}/send`, { json: { message: "It is mended." } })
    expect((await server.ended(team.run_id)).status).toBe("completed")
    expect(repository.git("show", "main:count.txt")).toBe("three\n")
    expect(server.reported).toEqual([])
  })

  it("goes on after its goal was reached with what was merged then", async () => {
    const edit = (search: string, replace: string): Call => [
      "edit_file",
      { path: "count.txt", edits: [{ search, replace }] },
    ]
    nodes = { one: { worker: "Ada", turns: [[edit("two", "three")], [publish]] } }
    const { repository, team, subjects } = await start("infinite", { "count.txt": "two\n" }, { mode: "infinite" })
    const merged = () => repository.git("show", "main:count.txt")
    await expect.poll(merged).toBe("three\n")
    repository.write({ "other.txt": "By hand\n" })
    repository.git("add", "-A")
    repository.git("commit", "-qm", "By hand")
    nodes.two = { worker: "Lin", turns: [[edit("three", "four"), ["read_file", { path: "other.txt" }]], [publish]] }
    await server.call("POST", `/api/v1/teams/${team.id}/send`, { json: { message: "Once more." } })
    await expect.poll(merged).toBe("four\n")
    expect(subjects()).toEqual(["Do two", "By hand", "Do one", "begin"])
    expect(server.reported).toEqual([])
    await server.call("DELETE", `/api/v1/teams/${team.id}`)
  })

  it("is refused in what is no repository", async () => {
    const json = { goal: "Change it", project_path: server.folder }
    expect((await server.call("POST", "/api/v1/teams", { json })).status).toBe(400)
  })
})
