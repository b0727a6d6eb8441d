import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { makeRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer({ env: { AGENTS_PER_SESSION: "3" } })
})
afterAll(() => server.close())

const told = (knobs: object) => `Do it. mock: ${JSON.stringify(knobs)}`
const helper = { name: "helper", coding_agent: "mock", mode: "bypass" }

/** Opens a session and returns requests to its agents' API. */
async function open() {
  const session = await openSession(server)
  const path = `/api/v1/sessions/${session.id}/agents`
  /** Resolves to the answer's body with the HTTP status as `code`. */
  const call = async (method: string, rest = "", json?: object) => {
    const { status, body } = await server.call(method, `${path}${rest}`, json ? { json } : {})
    return { code: status, ...body }
  }
  return {
    ...session,
    call,
    create: (json: object = {}) => call("POST", "", { ...helper, ...json }),
    get: (name: string) => call("GET", `/${name}`),
    say: (name: string, content: string, more: object = {}) => call("POST", `/${name}/messages`, { content, ...more }),
    interrupt: (name: string, json: object = {}) => call("POST", `/${name}/interrupt`, json),
    /** Resolves to the agent's last message once the agent is idle. */
    async reply(name: string) {
      for (;;) {
        const reply = await call("GET", `/${name}/wait?seconds=50`)
        if (reply.code !== 202) return reply
      }
    },
    /** Resolves once the agent's program has begun the current turn. */
    async begun(name: string) {
      await expect
        .poll(async () => {
          const { run_id } = await call("GET", `/${name}`)
          return (await session.events()).some(
            (event) => event.type === "agent_session_opened" && event.run_id === run_id,
          )
        })
        .toBe(true)
    },
    current: async (name: string) => (await call("GET", `/${name}`)).status,
    async ofType(type: string) {
      return (await session.events()).filter((event) => event.type === type)
    },
    messages: async (name: string, query = "") => (await call("GET", `/${name}/messages${query}`)).messages,
  }
}

const textsOf = (messages: { role: string; blocks: { type: string; text?: string }[] }[], role: string) =>
  messages.filter((one) => one.role === role).flatMap(({ blocks }) => blocks.flatMap(({ text }) => text ?? []))

describe("the agents of a session", () => {
  it("are main at first, and those that are added, each with a worktree of its own", async () => {
    const session = await open()
    const { agents } = await session.call("GET")
    expect(agents).toMatchObject([
      { agent_id: "main", name: "main", status: "idle", coding_agent: null, worktree: "main" },
    ])
    const made = await session.create({ mode: "ask", coding_model: "m" })
    expect(made).toMatchObject({ name: "helper", cli: "mock", model: "m", mode: "ask", worktree: "helper", queued: 0 })
    expect((await session.call("GET")).agents).toMatchObject([{ name: "main" }, { agent_id: made.agent_id }])
    expect(await session.get(made.agent_id)).toMatchObject({ name: "helper", draft: "", queue: [] })
    expect(await session.get("nobody")).toMatchObject({ error: { code: "agent_not_found" } })
  })

  it("begin from a branch of the repository, if one is named", async () => {
    const { folder, git } = makeRepository(join(dirname(server.folder), "branched"))
    git("checkout", "-q", "-b", "old")
    git("commit", "-q", "--allow-empty", "-m", "only on old")
    git("checkout", "-q", "main")
    const { id } = (await server.call("POST", "/api/v1/sessions", { json: { project_path: folder } })).body
    const look = { ...helper, base_branch: "old", prompt: told({ commands: ["git log --format=%s"] }) }
    const made = await server.call("POST", `/api/v1/sessions/${id}/agents`, { json: look })
    expect(await server.ended(made.body.run_id)).toMatchObject({ status: "completed" })
    const { events } = (await server.call("GET", `/api/v1/sessions/${id}/events?limit=1000`)).body
    expect(JSON.stringify(events)).toContain("only on old")
    const own = await open()
    expect(await own.create({ base_branch: "old" })).toMatchObject({ code: 400, error: { code: "task_invalid" } })
  })

  it("start in a folder of their worktree, if one is named, and their files are told by their paths in the project", async () => {
    const session = await open()
    await session.edit("packages/api/old.txt", "old\n")
    const knobs = { commands: ["cat old.txt"], files: { "new.txt": "new\n" } }
    const made = await session.create({ cwd: "packages/api/", prompt: told(knobs) })
    expect(made).toMatchObject({ cwd: "packages/api" })
    expect(await server.ended(made.run_id)).toMatchObject({ status: "completed" })
    const write = (await session.ofType("tool_call_started")).find(({ tool }) => tool === "write")
    expect(write).toMatchObject({ path: "packages/api/new.txt" })
    const finished = await session.ofType("tool_call_finished")
    expect(finished.find(({ tool_call_id }) => tool_call_id === write?.tool_call_id)).toMatchObject({
      after_sha256: createHash("sha256").update("new\n").digest("hex"),
    })
    const lost = await session.create({ name: "lost", cwd: "packages/web", prompt: "Do it." })
    expect(await server.ended(lost.run_id)).toMatchObject({
      status: "failed",
      error: {
        error_type: "task_invalid",
        message: "The agent's start folder `packages/web` doesn't exist in the worktree.",
      },
    })
    for (const cwd of ["../..", "/etc", "a\\b"])
      expect(await session.create({ name: "out", cwd })).toMatchObject({ code: 422 })
  })

  it("say their last words to those who wait in words, without the summary that is for programs", async () => {
    const session = await open()
    await session.create({ prompt: told({ say: "It is there.", files: {} }) })
    const { text } = await session.reply("helper")
    expect(text).not.toContain("change_summary")
    expect(text).toContain("did what its task says")
  })

  it("have names that are theirs alone: of two that race for one, one gets it", async () => {
    const session = await open()
    const both = await Promise.all([session.create(), session.create({ name: "HELPER" })])
    expect(both.map(({ error }) => error?.code ?? "made").sort()).toEqual(["agent_exists", "made"])
    expect((await session.call("GET")).agents).toHaveLength(2)
    for (const name of ["main", "all", "../x", "-x"]) {
      expect(
        (await server.call("POST", `/api/v1/sessions/${session.id}/agents`, { json: { ...helper, name } })).status,
      ).toBe(422)
    }
  })

  it("are changed while they are there: name, program, mode and draft", async () => {
    const session = await open()
    const { agent_id } = await session.create()
    const draft = "Not yet sent. ".repeat(5000)
    const changed = await session.call("PATCH", "/helper", { name: "other", mode: "plan", coding_model: "big", draft })
    expect(changed).toMatchObject({ agent_id, name: "other", mode: "plan", model: "big", cli: "mock" })
    expect(await session.get("other")).toMatchObject({ agent_id, draft })
    expect(await session.call("PATCH", "/other", { draft: "" })).toMatchObject({ name: "other" })
    expect((await session.get("other")).draft).toBe("")
    expect(await session.call("PATCH", "/main", { coding_model: "big" })).toMatchObject({
      error: { code: "task_invalid" },
    })
    expect(await session.call("PATCH", "/main", { coding_agent: "mock" })).toMatchObject({ coding_agent: "mock" })
  })

  it("need their owner's consent to ask nothing, where tasks do", async () => {
    const account = { name: "real", provider: "claude", api_key: "sk-ant-none", base_url: "http://127.0.0.1:9" }
    await server.call("POST", "/api/v1/accounts", { json: account })
    const session = await open()
    expect(await session.create({ coding_agent: "real" })).toMatchObject({ error: { code: "consent_required" } })
    const asking = await session.create({ coding_agent: "real", mode: "ask" })
    expect(asking).toMatchObject({ coding_agent: "real", account: "real", cli: "claude" })
    const free = await session.call("PATCH", "/helper", { mode: "bypass" })
    expect(free).toMatchObject({ error: { code: "consent_required" } })
  })

  itDeep("do tasks, too, that name them by their name, in their own worktree", async () => {
    const session = await open()
    const { agent_id } = await session.create()
    const task = { coding_agent: "mock", task_description: told({ files: { "a.txt": "1\n" } }), agent_id: "helper" }
    const { body } = await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json: task })
    expect(body).toMatchObject({ agent_id, worktree: "helper" })
    await server.ended(body.task_id)
    const named = { ...task, agent_id: "by-task" }
    const other = await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json: named })
    await server.ended(other.body.task_id)
    expect(await session.get("by-task")).toMatchObject({ coding_agent: "mock", worktree: "main", mode: "bypass" })
  })
})

describe("a message to an agent", () => {
  it("that is idle begins a turn, in the session of its program, and its answer can be waited for", async () => {
    const session = await open()
    await session.create({ prompt: told({ say: "Hello.", files: { "a.txt": "1\n" } }) })
    expect(await session.reply("helper")).toMatchObject({ code: 200, text: expect.stringContaining("mock agent did") })
    const sent = await session.say("helper", told({ say: "Once more.", summary: false, files: {} }))
    expect(sent).toMatchObject({ code: 202, queued_at: null, run_id: expect.stringMatching(/^run_/) })
    expect(await session.reply("helper")).toMatchObject({ code: 200, text: "Once more." })
    expect(await server.ended(sent.run_id)).toMatchObject({ status: "completed", warning: null, worktree: "helper" })
    const opened = await session.ofType("agent_session_opened")
    expect(new Set(opened.map(({ native_session_id }) => native_session_id)).size).toBe(1)
    expect(await session.ofType("agent_turn_started")).toHaveLength(2)
    const { body: diff } = await session.ask("GET", "/diff?worktree=helper")
    expect(diff.files.map(({ new_path }: { new_path: string }) => new_path)).toEqual(["a.txt"])
  })

  it("that is busy waits, and all that came are one turn, the oldest first", async () => {
    const session = await open()
    await session.create({ prompt: told({ duration_ms: 1500, files: {} }) })
    const first = await session.say("helper", "One.", { source: "ui" })
    expect(first).toMatchObject({ code: 202, queued_at: 1, run_id: null, waits_for: null })
    const twice = [await session.say("helper", "Two.", { message_id: "my-second" })]
    twice.push(await session.say("helper", "Two.", { message_id: "my-second" }))
    expect(twice).toMatchObject([{ queued_at: 2 }, { queued_at: 2 }])
    expect(await session.get("helper")).toMatchObject({ queued: 2, queue: [{ content: "One." }, { content: "Two." }] })
    await session.reply("helper")
    const delivered = await session.ofType("agent_message_delivered")
    expect(delivered.map(({ message_ids }) => (message_ids as string[]).length)).toEqual([1, 2])
    const [, turn] = await session.ofType("run_created")
    expect(turn).toMatchObject({ input: { task: expect.stringMatching(/answer once\.\n\n1\. One\.\n\n2\. Two\.$/) } })
    expect(textsOf(await session.messages("helper"), "user").slice(1)).toEqual(["One.", "Two."])
  })

  it("is refused beyond twenty, with the number of those that wait", async () => {
    const session = await open()
    await session.create({ prompt: told({ hangs: true }) })
    for (let count = 1; count <= 20; count++)
      expect(await session.say("helper", `${count}`)).toMatchObject({ queued_at: count })
    expect(await session.say("helper", "21")).toMatchObject({
      code: 409,
      error: { code: "queue_full", details: { queued: 20 } },
    })
    expect(await session.call("DELETE", "/helper")).toMatchObject({ queued: 0 })
  })

  itDeep("waits where too many agents are at work, and is told so", async () => {
    const session = await open()
    for (const name of ["one", "two", "three"]) await session.create({ name, prompt: told({ hangs: true }) })
    const fourth = await session.create({ name: "four", prompt: told({ files: {} }) })
    expect(fourth).toMatchObject({ code: 201, queued: 1, waits_for: "agents", run_id: null })
    await session.interrupt("two")
    expect(await session.reply("four")).toMatchObject({ code: 200, agent_id: fourth.agent_id })
    await session.call("DELETE")
  })

  itDeep("waits for the worktree that another agent works in", async () => {
    const session = await open()
    await session.create({ name: "one", worktree: "shared", prompt: told({ hangs: true }) })
    const second = await session.create({ name: "two", worktree: "shared", prompt: told({ files: {} }) })
    expect(second).toMatchObject({ worktree: "main", queued: 1, waits_for: "worktree" })
    await session.call("DELETE", "/one")
    expect(await session.reply("two")).toMatchObject({ code: 200 })
  })

  itDeep("to main takes a program that main has", async () => {
    const session = await open()
    expect(await session.say("main", "Hello")).toMatchObject({ code: 400, error: { code: "task_invalid" } })
    await session.task({ files: {} })
    await session.say("main", told({ say: "I am main.", summary: false, files: {} }))
    expect(await session.reply("main")).toMatchObject({ text: "I am main." })
  })
})

describe("the conversation with an agent", () => {
  it("has what it was told, said and did, with the results, a page at a time", async () => {
    const session = await open()
    await session.create({ prompt: told({ say: "First.", summary: false, commands: ["echo hi"], files: {} }) })
    await session.reply("helper")
    await session.say("helper", told({ say: "Second.", summary: false, files: {} }), { display_as: "Go on" })
    await session.reply("helper")
    const all = await session.messages("helper")
    expect(all.map(({ role }: { role: string }) => role)).toEqual([
      "user",
      "assistant",
      "assistant",
      "user",
      "assistant",
    ])
    expect(all[2].blocks).toMatchObject([
      { type: "tool_use", tool: "bash", command: "echo hi", result: { exit_code: 0 } },
    ])
    expect(all[3]).toMatchObject({ source: "api", display_as: "Go on" })
    const newest = await session.call("GET", "/helper/messages?limit=2")
    expect(textsOf(newest.messages, "assistant")).toEqual(["Second."])
    const before = await session.call("GET", `/helper/messages?limit=2&before=${newest.before}`)
    expect(before).toMatchObject({ before: null })
    expect([...before.messages, ...newest.messages]).toEqual(all)
    expect(await session.messages("main")).toEqual([])
  })
})

describe("an agent's turn that is interrupted", () => {
  itDeep("stops, once, and what is to come then comes after what waits", async () => {
    const session = await open()
    const { run_id } = await session.create({ prompt: told({ hangs: true }) })
    await session.begun("helper")
    await session.say("helper", told({ say: "Redirected.", summary: false, files: {} }))
    const message = { content: "And this." }
    // biome-ignore lint/suspicious/noThenProperty: the name that the contract gives it
    const then = { then: message }
    const [stopped] = [await session.interrupt("helper", then), await session.interrupt("helper")]
    expect(stopped).toMatchObject({ code: 202, run_id, message: { queued_at: 2 } })
    expect(await server.ended(run_id)).toMatchObject({ status: "cancelled" })
    expect(await session.reply("helper")).toMatchObject({ text: "Redirected." })
    expect(await session.ofType("run_cancel_requested")).toHaveLength(1)
    const delivered = await session.ofType("agent_message_delivered")
    expect(delivered.map(({ message_ids }) => (message_ids as string[]).length)).toEqual([1, 2])
    const opened = await session.ofType("agent_session_opened")
    expect(new Set(opened.map(({ native_session_id }) => native_session_id)).size).toBe(1)
    expect(await session.interrupt("helper")).toMatchObject({ code: 202, run_id: null, message: null })
  })

  it("takes its questions along", async () => {
    const session = await open()
    const { run_id } = await session.create({
      ...{ mode: "ask", worktree: "shared" },
      prompt: told({ files: { "a.txt": "1\n" } }),
    })
    await expect.poll(() => session.current("helper")).toBe("needs_input")
    await session.interrupt("helper")
    await server.ended(run_id)
    expect(await session.ofType("question_withdrawn")).toHaveLength(1)
    expect(await session.current("helper")).toBe("idle")
    expect(await session.files()).toEqual({})
  })
})

describe("an agent that is closed", () => {
  it("stops, is told nothing more, and leaves its worktree", async () => {
    const session = await open()
    const { agent_id, run_id } = await session.create({ prompt: told({ files: { "a.txt": "1\n" } }) })
    await session.reply("helper")
    await session.say("helper", told({ hangs: true }))
    await session.begun("helper")
    await session.say("helper", "Never heard.")
    const { path } = (await session.ask("GET", "?worktree=helper")).body
    const hanging = (await session.get("helper")).run_id
    expect(hanging).not.toBe(run_id)
    expect(await session.call("DELETE", "/helper")).toMatchObject({ agent_id, queued: 0 })
    expect(await server.ended(hanging)).toMatchObject({ status: "cancelled" })
    expect(await session.current(agent_id)).toBe("closed")
    expect(await session.say(agent_id, "Hello?")).toMatchObject({ code: 409, error: { code: "agent_closed" } })
    expect(await session.ofType("agent_message_delivered")).toHaveLength(2)
    expect(existsSync(`${path}/a.txt`)).toBe(true)
    const again = await session.create({ worktree: "helper" })
    expect(again.agent_id).not.toBe(agent_id)
  })

  it("is never main, which stays when all others are closed", async () => {
    const session = await open()
    for (const name of ["one", "two"]) await session.create({ name, prompt: told({ hangs: true }) })
    expect(await session.call("DELETE", "/main")).toMatchObject({ error: { code: "validation_error" } })
    const { agents } = await session.call("DELETE")
    expect(agents.map(({ name }: { name: string }) => name)).toEqual(["one", "two"])
    expect((await session.call("GET")).agents).toMatchObject([{ name: "main" }])
    await expect.poll(() => session.current(agents[0].agent_id)).toBe("closed")
  })
})

describe("the mode of an agent", () => {
  it("counts at once, also for what it is asking", async () => {
    const session = await open()
    const files = { "a.txt": "1\n", "b.txt": "2\n" }
    await session.create({ mode: "ask", worktree: "shared", prompt: told({ files }) })
    await expect.poll(() => session.current("helper")).toBe("needs_input")
    await session.call("PATCH", "/helper", { mode: "accept_edits" })
    await session.reply("helper")
    expect(await session.files()).toEqual(files)
    expect(await session.ofType("question_answered")).toEqual([])
  })
})
