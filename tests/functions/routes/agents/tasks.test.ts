import { createHash } from "node:crypto"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readFrames } from "../../agents/frames.ts"
import { makeRepository } from "../../agents/repository.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const open = async (about: object = {}) => (await server.call("POST", "/api/v1/sessions", { json: about })).body
const mock = (knobs: object) => ({ coding_agent: "mock", task_description: `Try it. mock: ${JSON.stringify(knobs)}` })
const give = (id: string, json: object) => server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })
const sha256 = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex")
const ended = (runId: string) => server.ended(runId)

describe("a task for an agent", () => {
  it("is done in a terminal, told step by step, and its files are the session's", async () => {
    const { id } = await open()
    const given = await give(id, mock({ files: { "src/a.txt": "made\n" }, say: "I make a file." }))
    expect(given).toMatchObject({ status: 201, body: { session_id: id, status: "pending" } })
    const { task_id } = given.body
    expect(await ended(task_id)).toMatchObject({ status: "completed", model: "mock/default", workspace_version: 1 })
    const file = await server.call("GET", `/workspace/file?path=src/a.txt&workspace_id=${id}`)
    expect(file.body.content).toBe("made\n")
    const task = await server.call("GET", `/api/v1/sessions/${id}/tasks/${task_id}`)
    expect(task.body).toMatchObject({ status: "completed", result: "The mock agent did what its task says." })
    const { body: conversation } = await server.call("GET", `/api/v1/sessions/${id}/conversation`)
    const { body: session } = await server.call("GET", `/api/v1/sessions/${id}`)
    expect(session).toMatchObject({ task_description: expect.stringContaining("Try it."), coding_account: null })
    expect(session).toMatchObject({ project_path: null, active: false, resumable: true, paused: false })
    expect(conversation.task).toMatchObject({ coding_provider: "mock", coding_account: null, project_path: null })
    expect(conversation.items.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(["user", "assistant", "milestone"]),
    )
    const { body: milestones } = await server.call("GET", `/api/v1/sessions/${id}/milestones`)
    expect(milestones.milestones).toMatchObject([{ milestone_type: "coding_complete" }])
    expect(server.reported).toEqual([])
  })

  it("works in a worktree of a repository of this machine, of which the checkout stays as it is", async () => {
    const repository = makeRepository(join(dirname(server.folder), "theirs"))
    const { id, repository: told } = await open({ project_path: repository.folder })
    expect(told).toBe(repository.folder)
    const { body } = await give(id, mock({ files: { "new.txt": "new\n" } }))
    expect(await ended(body.task_id)).toMatchObject({ status: "completed" })
    expect(repository.git("status", "--porcelain")).toBe("")
    expect(repository.git("log", "--all", "--name-only", "--format=")).toContain("new.txt")
  })
})

it("shows the worktree of a task, and the diff so far, while its agent is still at its first turn", async () => {
  const { folder } = makeRepository(join(dirname(server.folder), "shown"))
  const { id } = await open({ project_path: folder })
  await give(id, mock({ commands: ["echo new > new.txt && sleep 1000"], files: {} }))
  const path = `/api/v1/sessions/${id}/worktree`
  await expect.poll(async () => (await server.call("GET", path)).body.exists).toBe(true)
  const changed = async () => {
    const { body } = await server.settled("GET", `${path}/diff`)
    return body.files?.map(({ new_path }: { new_path: string }) => new_path)
  }
  await expect.poll(changed).toEqual(["new.txt"])
  await server.call("POST", `/api/v1/sessions/${id}/cancel`)
})

describe("an agent's claims about its files", () => {
  const FILES = { "old.txt": "A line to recognize.\n", "kept.txt": "kept\n", ".gitignore": "*.log\n" }
  async function warningAfter(name: string, knobs: object, rules: object[] = []) {
    const { folder } = makeRepository(join(dirname(server.folder), name), FILES)
    const { id } = await open({ project_path: folder })
    if (rules.length > 0) await server.call("PUT", `/api/v1/sessions/${id}/permissions`, { json: { rules } })
    const { body } = await give(id, mock({ files: {}, ...knobs }))
    const run = await ended(body.task_id)
    expect(run).toMatchObject({ status: "completed" })
    return run.warning
  }

  it("raise a warning if a denied write or nothing at all is behind them", async () => {
    const denied = { tool: "write", path: "stub.txt", effect: "deny" }
    const knobs = { files: { "stub.txt": "stub\n", "real.txt": "real\n" }, did: "Wrote stub.txt." }
    expect(await warningAfter("denied", knobs, [denied])).toBe(
      "The agent claims that it changed stub.txt, but its work contains no such change.",
    )
    expect(await warningAfter("invented", { claims: ["src/a.ts"], did: "Done." })).toMatch(/changed src\/a\.ts, but/)
  })

  it("raise a warning if the files are outside of the worktree", async () => {
    const place = join(dirname(server.folder), "elsewhere.txt")
    const commands = [`ln -s ${dirname(server.folder)} link`]
    const knobs = { commands, files: { "link/elsewhere.txt": "out\n" }, claims: ["elsewhere.txt"] }
    expect(await warningAfter("outside", knobs)).toBe(
      `The agent wrote outside its worktree, so this is not part of its work: ${place}.`,
    )
    expect(await warningAfter("claimed", { claims: [place] })).toMatch(/but its work contains no such change/)
  })

  it("are believed if files were renamed, changed back, ignored, or committed by the agent", async () => {
    const commit = "git -c user.name=a -c user.email=a@b commit -qm x"
    const knobs = {
      commands: ["git mv old.txt new.txt", `echo x > early.txt && git add -A && ${commit}`, "echo x > run.log"],
      edits: [
        { path: "kept.txt", from: "kept", to: "other" },
        { path: "kept.txt", from: "other", to: "kept" },
      ],
      claims: ["old.txt", "`new.txt`", "./early.txt", "kept.txt", "run.log", "None"],
    }
    expect(await warningAfter("honest", knobs)).toBeNull()
  })
})

describe("what a task brings along", () => {
  const PNG = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  )
  const upload = (id: string, bytes: Uint8Array<ArrayBuffer>, name = "shot.png") => {
    const body = new FormData()
    body.append("file", new File([bytes], name))
    return server.call("POST", `/api/v1/sessions/${id}/uploads`, { body })
  }

  it("are images, which lie in its worktree, and nowhere in its history", async () => {
    const { folder, git } = makeRepository(join(dirname(server.folder), "pictured"))
    const { id } = await open({ project_path: folder })
    const { status, body: image } = await upload(id, PNG)
    expect([status, image]).toMatchObject([201, { filename: "shot.png", size: PNG.length }])
    const list = { commands: ["find .switchyard-uploads -type f | sort; git status --porcelain"] }
    const { body } = await give(id, { ...mock({ ...list, files: { "a.txt": "a" } }), screenshots: [image.path] })
    expect((await ended(body.task_id)).status).toBe("completed")
    const told = JSON.stringify((await server.call("GET", `/api/v1/sessions/${id}/events?limit=1000`)).body)
    const name = sha256(PNG).slice(0, 12)
    expect(told).toContain(`.switchyard-uploads/.gitignore\\n.switchyard-uploads/${name}.png"`)
    expect(git("log", "--all", "--name-only", "--format=")).not.toContain("uploads")
  })

  it("are no other files, no images of others and not too many", async () => {
    const [{ id }, other] = [await open(), await open()]
    expect((await upload(id, Buffer.from("<svg>"))).status).toBe(422)
    expect((await server.call("POST", `/api/v1/sessions/${id}/uploads`, { body: new FormData() })).status).toBe(422)
    expect((await upload(id, Buffer.concat([PNG, Buffer.alloc(6e6)]))).status).toBe(413)
    const { body: theirs } = await upload(other.id, PNG)
    expect(await give(id, { ...mock({}), screenshots: [theirs.path] })).toMatchObject({
      status: 400,
      body: { error: { code: "task_invalid" } },
    })
    expect((await give(id, { ...mock({}), screenshots: ["/etc/passwd"] })).status).toBe(422)
    expect((await give(id, { ...mock({}), screenshots: Array(6).fill(theirs.path) })).status).toBe(422)
  })

  it("is a branch to begin from", async () => {
    const { folder, git } = makeRepository(join(dirname(server.folder), "branched"))
    git("checkout", "-q", "-b", "old")
    git("commit", "-q", "--allow-empty", "-m", "only on old")
    git("checkout", "-q", "-")
    const { id } = await open({ project_path: folder })
    const look = mock({ commands: ["git log --format=%s"] })
    const { body } = await give(id, { ...look, base_branch: "old" })
    await ended(body.task_id)
    const told = JSON.stringify((await server.call("GET", `/api/v1/sessions/${id}/events?limit=1000`)).body)
    expect(told).toContain("only on old")
    const elsewhere = await open({ project_path: folder })
    const unknown = await give(elsewhere.id, { ...look, base_branch: "no-such" })
    expect((await ended(unknown.body.task_id)).error.message).toContain("branch")
    const own = await open()
    expect(await give(own.id, { ...look, base_branch: "old" })).toMatchObject({ status: 400 })
  })
})

describe("the events of a task", () => {
  const eventsOf = async (id: string, types: string) =>
    (await server.call("GET", `/api/v1/sessions/${id}/events?limit=1000&event_types=${types}`)).body.events

  it("say where the whole output of a tool is, and what a written file was then", async () => {
    const { id } = await open()
    const { body } = await give(id, mock({ commands: ["seq 1 9000", "echo short"], files: { "a.txt": "made\n" } }))
    await ended(body.task_id)
    const [long, short, written] = await eventsOf(id, "tool_call_finished")
    const whole = `${Array.from({ length: 9000 }, (_, index) => index + 1).join("\n")}\n`
    expect(long.llm_summary.length).toBe(500)
    expect(long.stdout_ref).toMatchObject({ size: whole.length, sha256: sha256(whole) })
    const stored = await server.call("GET", `/api/v1/sessions/${id}/${long.stdout_ref.path}`)
    expect(stored.text ?? stored.body).toBe(whole)
    expect(short).toMatchObject({ llm_summary: "short" })
    expect(short).not.toHaveProperty("stdout_ref")
    expect(written.after_sha256).toBe(sha256("made\n"))
  })

  it("name their turn, which begins with what the agent is told", async () => {
    const { id } = await open()
    const { body } = await give(id, mock({ summary: 2 }))
    await ended(body.task_id)
    const told = await eventsOf(id, "user_message,agent_turn_started,assistant_message,agent_turn_finished")
    const turns = [...new Set(told.map((event: { turn_id: string }) => event.turn_id))]
    expect(turns).toEqual([expect.stringMatching(/^trn_/), expect.stringMatching(/^trn_/)])
    for (const turn of turns) {
      const types = told.filter((event: { turn_id: string }) => event.turn_id === turn).map(({ type }: never) => type)
      expect([types[0], types.at(-1)]).toEqual(["user_message", "agent_turn_finished"])
    }
  })

  it("come under other servers' names for whoever asks for those, and only then", async () => {
    const { id } = await open()
    await server.call("POST", "/api/v1/accounts", { json: { name: "desk", provider: "mock" } })
    const failing = mock({ fails: { status: 401, message: "No." } })
    const { body } = await give(id, { ...failing, coding_agent: "desk" })
    await ended(body.task_id)
    const [started, end, ...others] = await eventsOf(id, "session_started,session_ended")
    expect(started).toMatchObject({ type: "session_started", coding_provider: "mock", coding_model: null, seq: 2 })
    expect(started).toMatchObject({ task_description: expect.stringContaining("Try it."), project_path: null })
    expect(started).toMatchObject({ coding_account: "desk" })
    expect((await server.call("GET", `/api/v1/sessions/${id}`)).body).toMatchObject({ coding_account: "desk" })
    expect(end).toMatchObject({ type: "session_ended", success: false, reason: expect.stringMatching(/^error: /) })
    expect(others).toEqual([])
    expect(await eventsOf(id, "run_created,session_started")).toMatchObject([{ type: "run_created" }])
  })
})

describe("an agent's run that a pipeline starts in one call", () => {
  it("is a task in a new session, and the same one when it is asked for again", async () => {
    const repository = makeRepository(join(dirname(server.folder), "pipeline"))
    const json = {
      ...{ kind: "agent", user_prompt: 'mock: {"files":{"p.txt":"p"}}', coding_agent: "mock" },
      repository: repository.folder,
    }
    const ask = () => server.run(json, { headers: { "idempotency-key": "once" } })
    const run = await ask()
    expect(run).toMatchObject({ status: "completed", model: "mock/default" })
    expect((await ask()).run_id).toBe(run.run_id)
    const { body: session } = await server.call("GET", `/api/v1/sessions/${run.workspace_id}`)
    expect(session).toMatchObject({ kind: "agent", status: "done", repository: repository.folder })
    const stream = await server.call("GET", `/v1/runs/${run.run_id}/stream`)
    expect(stream.status).toBe(200)
  })

  it("is refused without an agent", async () => {
    const { body } = await server.call("POST", "/v1/runs", { json: { kind: "agent", user_prompt: "Try it." } })
    expect(body.error.code).toBe("invalid_request")
  })
})

describe("a task that can't be", () => {
  const refused = async (json: object, session: object = {}) => {
    const { id } = await open(session)
    const { status, body } = await give(id, { task_description: "Try it.", coding_agent: "mock", ...json })
    expect((await server.call("GET", `/api/v1/sessions/${id}`)).body.last_run).toBeNull()
    return [status, body.error.code]
  }

  it("is refused before anything is written", async () => {
    const around = dirname(server.folder)
    const one = makeRepository(join(around, "one")).folder
    const other = makeRepository(join(around, "other")).folder
    expect(await refused({ coding_agent: "nobody" })).toEqual([400, "task_invalid"])
    expect(await refused({ project_path: around })).toEqual([400, "task_invalid"])
    expect(await refused({ project_path: "/no/such/folder" })).toEqual([400, "task_invalid"])
    expect(await refused({ project_path: "--upload-pack=touch x" })).toEqual([400, "task_invalid"])
    expect(await refused({ project_path: other }, { repository: one })).toEqual([400, "task_invalid"])
    expect(await refused({ terminal_rows: 9 })).toEqual([422, "validation_error"])
    expect(await refused({ task_description: " \n" })).toEqual([422, "validation_error"])
    const { status, body } = await server.call("POST", "/api/v1/sessions", { json: { repository: around } })
    expect([status, body.error.code]).toEqual([400, "task_invalid"])
  })

  it("waits for somebody to agree, once for each repository", async () => {
    const account = { name: "work", provider: "claude", api_key: "sk-ant-none", base_url: "http://127.0.0.1:9" }
    await server.call("POST", "/api/v1/accounts", { json: account })
    const repository = makeRepository(join(dirname(server.folder), "asked")).folder
    const json = { coding_agent: "work", project_path: repository }
    expect(await refused(json)).toEqual([409, "consent_required"])
    const first = await give((await open()).id, { task_description: "Try it.", ...json, consent: true })
    const second = await give((await open()).id, { task_description: "Try it.", ...json })
    for (const { status, body } of [first, second]) {
      expect(status).toBe(201)
      await server.call("POST", `/v1/runs/${body.task_id}/cancel`)
      await ended(body.task_id)
    }
    expect(await refused({ ...json, project_path: undefined })).toEqual([409, "consent_required"])
  })

  it("is refused while another works, and waits for one that was asked to stop", async () => {
    const { id } = await open()
    const first = (await give(id, mock({ hangs: true }))).body.task_id
    const again = await give(id, mock({}))
    expect([again.status, again.body.error.code]).toEqual([409, "run_active"])
    const frames = readFrames(server, `/api/v1/sessions/${id}/stream`)
    for await (const { data } of frames) if (data.type === "agent_session_opened") break
    for (let i = 0; i < 2; i++) {
      const cancelled = await server.call("POST", `/api/v1/sessions/${id}/cancel`)
      expect(cancelled.body.cancel_requested).toBe(true)
    }
    const next = await give(id, mock({}))
    expect(next.status).toBe(201)
    expect((await server.call("GET", `/api/v1/sessions/${id}/tasks/${first}`)).body.status).toBe("cancelled")
    expect(await ended(next.body.task_id)).toMatchObject({ status: "completed" })
  })
})
