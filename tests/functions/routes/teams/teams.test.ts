import { systemClock } from "@switchyard/core/time"
import { coordinatorTools } from "@switchyard/core/work/teams/tools/coordinator-tools"
import type { Member } from "@switchyard/core/work/teams/tools/member"
import { workerTools } from "@switchyard/core/work/teams/tools/worker-tools"
import { createDemoModel } from "@switchyard/functions/demo-model"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { entriesOf } from "../../../core/files/archives/entries.ts"
import { heldModel, startServer, type TestServer } from "../../server.ts"

const nobody = {
  deps: {},
  context: {},
  harness: { provider: {} },
  id: "",
  messages: [],
} as never as Member
let server: TestServer
beforeAll(async () => {
  // The demo model without its pauses.
  const clock = { ...systemClock, sleep: async () => {} }
  server = await startServer({ scripted: createDemoModel(clock) })
})
afterAll(() => server.close())

/** Accepts any `updated_at`, because a runner may still write to an ended team's session. */
function atAnyTime(team: object) {
  return { ...team, updated_at: expect.any(String) }
}

/** Follows a team's socket until `isLast` or until it closes. `end` is "told" or the close code. */
async function followed(path: string, isLast: (event: { seq: number; type: string }) => boolean) {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}${path}`)
  const events: { seq: number; type: string }[] = []
  const { promise, resolve } = Promise.withResolvers<number | "told">()
  socket.on("message", (text) => {
    const event = JSON.parse(String(text))
    events.push(event)
    if (isLast(event)) resolve("told")
  })
  socket.on("close", resolve)
  const end = await promise
  socket.terminate()
  return { events, end }
}

describe("POST /api/v1/teams", () => {
  it("has the demo reach a goal in five nodes, whose files become the project's", async () => {
    const { status, body: team } = await server.call("POST", "/api/v1/teams", { json: { goal: "A page about tea" } })
    expect(status).toBe(201)
    expect(team).toMatchObject({ goal: "A page about tea", status: "working", model: "scripted/demo" })
    expect(team.permission_mode).toBe("bypass")
    expect((await server.ended(team.run_id)).status).toBe("completed")
    const { body: board } = await server.call("GET", `/api/v1/teams/${team.id}/board`)
    expect(board.team).toMatchObject({ status: "completed", node_count: 5, worker_count: 3 })
    expect(board.nodes).toMatchObject(
      [
        ["words", []],
        ["look", []],
        ["page", ["words", "look"]],
        ["guide", ["page"]],
        ["review", ["page"]],
      ].map(([id, dependencies]) => ({ id, dependencies, status: "completed", published_files: [expect.any(String)] })),
    )
    // Two workers are models, and one is a program.
    expect(board.workers).toMatchObject([
      { name: "Ada", type: "harnessed", status: "idle" },
      { name: "Lin", type: "harnessed", status: "idle" },
      { name: "Mia", type: "mock", status: "idle" },
    ])
    const review = {
      id: "review",
      result: expect.stringContaining("Look at index.html"),
      published_files: ["result.md"],
    }
    expect(board.nodes.at(-1)).toMatchObject(review)
    const { body: said } = await server.call("GET", `/api/v1/teams/${team.id}/messages`)
    expect(said.messages).toMatchObject([
      { from: "human", to: "coordinator", content: "A page about tea" },
      { from: "coordinator", to: "human", content: expect.stringContaining("index.html") },
    ])
    const last = await server.call("GET", `/api/v1/teams/${team.id}/messages?limit=1`)
    expect(last.body.messages).toEqual(said.messages.slice(1))
    const page = await server.call("GET", `/workspace/file?workspace_id=${team.id}&path=index.html`)
    expect(page.text).toContain("A page about tea")
    const zip = await fetch(`${server.url}/workspace/download?workspace_id=${team.id}`)
    const inZip = (await entriesOf(Buffer.from(await zip.arrayBuffer()))).map(({ path }) => path).sort()
    const { files } = (await server.call("GET", `/workspace/files?workspace_id=${team.id}`)).body
    expect(Object.keys(files).filter((path) => path.startsWith("nodes/"))).not.toEqual([])
    expect(inZip).toEqual(
      Object.keys(files)
        .filter((path) => !path.startsWith("nodes/"))
        .sort(),
    )
    const { body: events } = await server.call("GET", `/api/v1/sessions/${team.id}/events?limit=1000`)
    const commits = events.events.filter(({ type }: { type: string }) => type === "workspace_committed")
    expect(commits).toHaveLength(6)
    const session = await server.call("GET", `/api/v1/sessions/${team.id}`)
    const goal = { kind: "team", prompt: "A page about tea" }
    expect(session.body).toMatchObject({ kind: "team", status: "done", last_run: goal })
    expect(server.reported).toEqual([])
  })

  it("is the same under /agents, with its events in order and none twice", async () => {
    const { status, body: team } = await server.call("POST", "/agents", { json: { goal: "A page about tea" } })
    expect([status, team.mode]).toEqual([201, "finite"])
    const path = `/agents/${team.id}`
    const live = followed(`${path}/events`, ({ type }) => type === "agent.completed")
    await server.ended(team.run_id)
    const { body: itself } = await server.call("GET", path)
    expect((await server.call("GET", `/api/v1/teams/${team.id}`)).body).toEqual(atAnyTime(itself))
    const all = (await server.call("GET", `${path}/events?limit=1000`)).body
    const told = []
    for (let since = 0; ; since = told.at(-1).seq) {
      const { body: page } = await server.call("GET", `${path}/events?since=${since}&limit=7`)
      if (page.length === 0) break
      told.push(...page)
    }
    expect(told).toEqual(all)
    expect(await live).toEqual({ events: all, end: "told" })
    const later = all.slice(20)
    const last = later.at(-1).seq
    const back = await followed(`/api/v1/teams/${team.id}/events?since=${all[19].seq}`, ({ seq }) => seq === last)
    expect(back.events).toEqual(later)
    const types = all.map(({ type }: { type: string }) => type)
    expect([types[0], types.at(-1)]).toEqual(["agent.started", "agent.completed"])
    expect(types.filter((type: string) => type === "node.completed")).toHaveLength(5)
    expect(all[0]).toMatchObject({ agent_id: team.id, data: { goal: "A page about tea" } })
    expect((await server.call("GET", `${path}/board/words`)).body).toMatchObject({
      id: "words",
      spec: expect.any(String),
    })
    expect((await server.call("GET", `${path}/workers`)).body).toMatchObject([
      { name: "Ada" },
      { name: "Lin" },
      { name: "Mia" },
    ])
    const { body: said } = await server.call("GET", `${path}/conversation?limit=1`)
    expect(said).toMatchObject([{ role: "coordinator", to: "human" }])
    const { body: before } = await server.call("GET", `${path}/conversation?limit=1&offset=1`)
    expect(before).toMatchObject([{ role: "human", to: "coordinator", content: "A page about tea" }])
    expect((await server.call("POST", `${path}/respond`, { json: { response: "Yes" } })).status).toBe(404)
    expect((await server.call("DELETE", path)).body).toEqual({ status: "deleted", id: team.id })
    expect((await server.call("GET", path)).status).toBe(404)
  })

  it("shows its files, its memory and its tools", async () => {
    const { body: team } = await server.call("POST", "/agents", { json: { goal: "A page about tea" } })
    await server.ended(team.run_id)
    const look = (what: string) => server.call("GET", `/agents/${team.id}/${what}`)
    expect((await look("workspace")).body).toMatchObject({
      type: "dir",
      path: "",
      entries: [
        { name: "nodes", type: "dir" },
        ...["index.html", "README.md", "style.css", "words.md"].map((name) => ({ name, type: "file" })),
      ],
    })
    expect((await look("workspace?path=nodes/words/published/")).body).toMatchObject({
      path: "nodes/words/published",
      entries: [{ name: "words.md", type: "file" }],
    })
    const page = await look("workspace?path=index.html")
    expect(page.body).toEqual({ type: "file", path: "index.html", content: expect.stringContaining("tea") })
    expect((await look("memory")).body).toEqual({ type: "dir", path: "", entries: [] })
    const note = { workspace_id: team.id, path: "memory/knowledge/tea.md", content: "Hot.", base_version: null }
    expect((await server.call("PUT", "/workspace/file", { json: note })).status).toBe(200)
    expect((await look("memory?path=knowledge")).body).toMatchObject({ entries: [{ name: "tea.md", size: 4 }] })
    expect((await look("memory?path=knowledge/tea.md")).body).toMatchObject({ type: "file", content: "Hot." })
    for (const path of ["../index.html", "knowledge/../../index.html", "/index.html", "a%00b"])
      expect((await look(`memory?path=${path}`)).status).toBe(403)
    expect((await look("memory?path=none")).status).toBe(404)
    const { body: tools } = await look("tools")
    const names = tools.flatMap((one: { tools: { name: string }[] }) => one.tools.map(({ name }) => name))
    const all = [...coordinatorTools(nobody), ...workerTools({ ...nobody, nodeId: "" }, { commands: null })].map(
      ({ name }) => name,
    )
    expect(names.sort()).toEqual([...new Set(all)].sort())
    // The demo doesn't search, and this server has no key for a search service.
    expect(names).not.toContain("web_search")
  })

  it("begins with the budget that it is given, which is its session's", async () => {
    const ask = (budget: object) => server.call("POST", "/api/v1/teams", { json: { goal: "Tea", budget } })
    const { body: team } = await ask({ tokens: 900_000 })
    const { body: status } = await server.call("GET", `/api/v1/sessions/${team.id}/budget`)
    expect(status).toMatchObject({ usd: null, tokens: 900_000 })
    expect((await ask({ tokens: -1 })).status).toBe(422)
    await server.ended(team.run_id)
  })

  it("shows its board, its messages and its triggers as they were after any of its events", async () => {
    const { body: team } = await server.call("POST", "/api/v1/teams", { json: { goal: "A page about tea" } })
    await server.ended(team.run_id)
    const path = `/api/v1/teams/${team.id}`
    const look = (what: string, seq: number) => server.call("GET", `${path}/${what}?at_seq=${seq}`)
    const { body: log } = await server.call("GET", `/api/v1/sessions/${team.id}/events?limit=1000`)
    const statuses: Record<string, string> = {}
    const published: Record<string, string[]> = {}
    const status = { created: "pending", assigned: "assigned", started: "running", completed: "completed" }
    for (const { seq, type, node_id, files } of log.events) {
      const change = /^work_node_(.*)/.exec(type)?.[1] as keyof typeof status | undefined
      if (!change || !status[change]) continue
      statuses[node_id] = status[change]
      // A program's node publishes its result as a file. Its other files stay in its worktree.
      published[node_id] = files && node_id === "review" ? ["result.md"] : (files ?? [])
      const { body } = await look("board", seq)
      const nodes: { id: string; status: string; published_files: string[] }[] = body.nodes
      expect(Object.fromEntries(nodes.map((node) => [node.id, node.status]))).toEqual(statuses)
      expect(Object.fromEntries(nodes.map((node) => [node.id, node.published_files]))).toEqual(published)
      if (type === "work_node_started") expect(body.team.status).toBe("working")
    }
    const { first_seq: first, latest_seq: latest } = log
    const { body: now } = await server.call("GET", `${path}/board`)
    expect((await look("board", latest)).body).toEqual({ ...now, team: atAnyTime(now.team) })
    const finished = log.events.find(({ type }: { type: string }) => type === "team_finished")
    expect((await look("messages", finished.seq - 1)).body.messages).toMatchObject([{ content: "A page about tea" }])
    expect((await look("messages", finished.seq)).body.messages).toHaveLength(2)
    expect((await look("triggers", finished.seq)).body).toEqual({ triggers: [] })
    expect((await look("board", first)).status).toBe(404)
    for (const what of ["board", "messages", "triggers"])
      for (const seq of [0, latest + 1000]) expect((await look(what, seq)).status).toBe(422)
  })

  it("starts one team for one Idempotency-Key, and refuses the key for another goal", async () => {
    const headers = { "idempotency-key": "tea" }
    const ask = (goal: string) => server.call("POST", "/api/v1/teams", { json: { goal }, headers })
    const [first, second] = [await ask("Tea"), await ask("Tea")]
    expect(second.body.id).toBe(first.body.id)
    expect((await ask("Coffee")).status).toBe(409)
    await server.ended(first.body.run_id)
  })

  it.each([{}, { goal: " " }, { goal: "Tea", model: "nobody/none" }, { goal: "Tea", max_concurrent: 9 }])(
    "refuses %j",
    async (json) => {
      expect((await server.call("POST", "/api/v1/teams", { json })).status).toBe(422)
    },
  )
})

describe("a team at work", () => {
  it("is paused, written to and stopped, and answers nothing once it has ended", async () => {
    const held = heldModel()
    const own = await startServer({ scripted: held.provider })
    try {
      const { body: team } = await own.call("POST", "/api/v1/teams", { json: { goal: "Tea" } })
      const ask = (what: string, json?: object) => own.call("POST", `/api/v1/teams/${team.id}/${what}`, { json })
      expect((await ask("pause")).body.team.status).toBe("paused")
      const sent = { status: "sent", to: "coordinator", message: "Go on", team: { status: "working" } }
      expect((await ask("send", { message: "Go on" })).body).toMatchObject(sent)
      expect((await ask("send", { message: "Hello", to: "nobody" })).body.error).toMatchObject({ code: "team_refused" })
      await ask("workers", { name: "Ada", role: "Writes" })
      await ask("nodes", { task: "Write it.", id: "a" })
      await ask("nodes/a/assign", { worker: "Ada" })
      const workers = async () => (await own.call("GET", `/api/v1/teams/${team.id}/board`)).body.workers
      expect(await workers()).toMatchObject([{ name: "Ada", status: "busy" }])
      expect((await ask("stop")).body).toMatchObject({ status: "stopped", id: team.id, team: { status: "stopped" } })
      expect(await workers()).toMatchObject([{ name: "Ada", status: "idle" }])
      expect((await ask("resume")).body.team.status).toBe("working")
      const again = await own.call("POST", "/api/v1/teams", { json: { goal: "More", workspace_id: team.id } })
      expect(again).toMatchObject({ status: 409 })
      await own.call("POST", `/v1/runs/${team.run_id}/cancel`)
      await own.ended(team.run_id)
      expect((await ask("send", { message: "Hello" })).body.error).toMatchObject({ code: "run_ended" })
    } finally {
      held.release()
      await own.close()
    }
  })

  it("is listed for its owner, with sessions that have none left out", async () => {
    await server.call("POST", "/workspace/session/touch", { json: { workspace_id: "no-team" } })
    const { body: team } = await server.call("POST", "/api/v1/teams", { json: { goal: "Listed" } })
    await server.ended(team.run_id)
    const first = await server.call("GET", "/api/v1/teams?limit=1")
    expect(first.body.teams).toMatchObject([{ id: team.id, goal: "Listed", status: "completed", node_count: 5 }])
    const ids: string[] = [team.id]
    for (let next = first.body.next; next; ) {
      const page = await server.call("GET", `/api/v1/teams?limit=1&before=${encodeURIComponent(next)}`)
      ids.push(...page.body.teams.map(({ id }: { id: string }) => id))
      next = page.body.next
    }
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThan(1)
    expect(ids).not.toContain("no-team")
    // `/agents` answers with an array and names the next page in a header.
    const plain = await fetch(`${server.url}/agents?limit=1`)
    expect(await plain.json()).toEqual(first.body.teams.map(atAnyTime))
    const [, link = ""] = /^<(.*)>; rel="next"$/.exec(plain.headers.get("link") ?? "") ?? []
    expect((await server.call("GET", link)).body.map(({ id }: { id: string }) => id)).toEqual([ids[1]])
  })

  it("is woken once by each delivery of a webhook, until that is cancelled", async () => {
    const { body: team } = await server.call("POST", "/api/v1/teams", { json: { goal: "Tea", mode: "infinite" } })
    const path = `/api/v1/teams/${team.id}/triggers`
    const action = { type: "wake_agent", message: "Somebody bought tea." }
    const made = await server.call("POST", path, { json: { when: { type: "webhook" }, action } })
    expect(made).toMatchObject({ status: 201, body: { status: "active", firings: 0, webhook: expect.any(String) } })
    const fire = (link: string, key: string) => {
      return server.call("POST", link, { json: { cups: 3 }, headers: { "idempotency-key": key } })
    }
    for (const key of ["one", "one", "two"]) expect((await fire(made.body.webhook, key)).status).toBe(202)
    const { body } = await server.call("GET", path)
    expect(body.triggers).toMatchObject([{ id: made.body.id, firings: 2, when: { type: "webhook" } }])
    expect(body.triggers[0]).not.toHaveProperty("webhook")
    expect((await fire(`${made.body.webhook}x`, "three")).status).toBe(403)
    const cancelled = await server.call("DELETE", `${path}/${made.body.id}`)
    expect(cancelled).toMatchObject({ status: 200, body: { status: "cancelled" } })
    expect((await fire(made.body.webhook, "four")).status).toBe(404)
    expect((await server.call("DELETE", `${path}/trg_none`)).status).toBe(404)
    const when = { type: "scheduled", cron: "never", timezone: "UTC" }
    expect((await server.call("POST", path, { json: { when, action } })).body.error.code).toBe("team_refused")
    await server.call("POST", `/v1/runs/${team.run_id}/cancel`)
    await server.ended(team.run_id)
  })

  it("counts a repeated delivery of a webhook only once towards the owner's rate of runs", async () => {
    const demo = createDemoModel({ ...systemClock, sleep: async () => {} })
    const server = await startServer({ scripted: demo, env: { RATE_LIMIT_RUNS_PER_MINUTE: "2" } })
    try {
      // Creating the team uses the first run of the minute.
      const { body: team } = await server.call("POST", "/api/v1/teams", { json: { goal: "Tea", mode: "infinite" } })
      const made = await server.call("POST", `/api/v1/teams/${team.id}/triggers`, {
        json: { when: { type: "webhook" }, action: { type: "wake_agent", message: "Somebody bought tea." } },
      })
      const fire = async (key: string) => {
        return (await server.call("POST", made.body.webhook, { json: {}, headers: { "idempotency-key": key } })).status
      }
      for (const key of ["one", "one", "one"]) expect(await fire(key)).toBe(202)
      expect(await fire("two")).toBe(429)
      expect(await fire("one")).toBe(202)
      await server.call("POST", `/v1/runs/${team.run_id}/cancel`)
      await server.ended(team.run_id)
    } finally {
      await server.close()
    }
  })

  it("isn't there in a session without one", async () => {
    await server.call("POST", "/workspace/session/touch", { json: { workspace_id: "empty" } })
    expect((await server.call("GET", "/api/v1/teams/empty/board")).status).toBe(404)
    expect((await server.call("POST", "/api/v1/teams/empty/stop")).status).toBe(404)
    for (const what of ["workspace", "memory", "tools"])
      expect((await server.call("GET", `/agents/empty/${what}`)).status).toBe(404)
    for (const id of ["empty", "nowhere"])
      expect(await followed(`/agents/${id}/events`, () => true)).toEqual({ events: [], end: 4004 })
  })
})
