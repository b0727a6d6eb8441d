import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { readFrames } from "../functions/agents/frames.ts"
import { makeRepository } from "../functions/agents/repository.ts"
import { type Frame, startServer, type TestServer } from "../functions/server.ts"
import { removeFolder } from "../remove-folder.ts"
import { processesWith } from "../runner/agents/workshop.ts"

let server: TestServer | undefined
afterEach(() => server?.close())

/** Creates a session on a repository, in which the mock agent works for a while. */
async function begin(knobs: object, kept?: { env: Record<string, string>; theirs: string }) {
  server = await startServer({ env: kept?.env })
  const repository = makeRepository(kept?.theirs ?? join(dirname(server.folder), "theirs"))
  const { call } = server
  const { id } = (await call("POST", "/api/v1/sessions", { json: { repository: repository.folder } })).body
  const json = { coding_agent: "mock", task_description: `mock: ${JSON.stringify(knobs)}` }
  const { task_id } = (await call("POST", `/api/v1/sessions/${id}/tasks`, { json })).body
  return { server, repository, id, task: task_id as string, path: `/api/v1/sessions/${id}` }
}

async function eventsOf({ server, path }: { server: TestServer; path: string }) {
  return (await server.call("GET", `${path}/events?limit=1000`)).body.events
}

/** Returns the process id in a claim. */
const pidOf = ({ executor }: { executor: string }) => Number(/^local-(\d+)-/.exec(executor)?.[1])

describe("a runner that is killed in the middle of a task", () => {
  it("is replaced at once: nothing that was told is lost, the task is done, and its work can be merged", async () => {
    const place = await begin({ duration_ms: 1500, files: { "a.txt": "made\n" } })
    const told: Frame[] = []
    let killed: number | undefined
    for await (const frame of readFrames(place.server, `${place.path}/stream?task=${place.task}`)) {
      told.push(frame)
      const { data } = frame
      if (data.type === "assistant_message" && killed === undefined) {
        killed = pidOf(told.find(({ data }) => data.type === "runner_claimed")?.data)
        process.kill(killed, "SIGKILL")
      }
    }
    expect(killed).toBeGreaterThan(0)
    expect(told.at(-1)).toMatchObject({ event: "complete", data: { status: "completed" } })
    const events = await eventsOf(place)
    const seqs = told.filter(({ event }) => event === "event").map(({ data }) => data.seq)
    expect(seqs).toEqual(events.slice(0, seqs.length).map(({ seq }: { seq: number }) => seq))
    expect(events.filter(({ type }: { type: string }) => type === "run_relaunched")).toHaveLength(1)
    const claims = events.filter(({ type }: { type: string }) => type === "runner_claimed")
    expect(claims.map(({ generation }: { generation: number }) => generation)).toEqual([1, 2])
    const merged = await place.server.settled("POST", `${place.path}/worktree/merge`)
    expect(merged.body).toMatchObject({ status: "merged" })
    expect(place.repository.git("show", "HEAD:a.txt")).toBe("made\n")
  })
})

describe("what a runner took along that was killed", () => {
  it("is told by the next one: the tools and the turn that it interrupted, its last screen and its recording", async () => {
    const place = await begin({ say: "I begin.", unanswered: "make all", hangs: true })
    const heard = new Map<
      string,
      { pty: string; executor: string; recording: string | null; outcome: object; data: string }
    >()
    for await (const { data } of readFrames(place.server, `${place.path}/stream?include_terminal=false`)) {
      if (!heard.has(data.type)) heard.set(data.type, data)
      // The terminal's log has the program's output within a second.
      if (data.type === "tool_call_started" && !heard.has("agent_turn_finished")) {
        await screenWith(place, heard.get("terminal_opened")?.pty ?? "", "make all")
        process.kill(pidOf(heard.get("runner_claimed") ?? { executor: "" }), "SIGKILL")
      }
      if (data.type === "agent_turn_finished") break
    }
    const pty = heard.get("terminal_opened")?.pty
    expect(heard.get("agent_turn_finished")).toMatchObject({
      outcome: { type: "failed", problem: "interrupted" },
      run_id: place.task,
    })
    expect(heard.get("tool_call_finished")).toMatchObject({ run_id: place.task })
    expect(heard.get("terminal_output")).toMatchObject({ pty, data: expect.stringContaining("make all") })
    expect(heard.get("terminal_closed")).toMatchObject({ pty, recording: expect.any(String) })
    const { text } = await place.server.call("GET", `${place.path}/terminals/${pty}/recording`)
    const [header, ...lines] = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(header).toMatchObject({ version: 2, width: 80, height: 24 })
    expect(lines.map(([, , drawn]) => drawn).join("")).toContain("make all")
    await place.server.call("POST", `${place.path}/cancel`)
    await place.server.ended(place.task)
  })
})

async function screenWith({ server, path }: { server: TestServer; path: string }, pty: string, words: string) {
  let shown = ""
  for await (const { data } of readFrames(server, `${path}/terminals/${pty}/stream`)) {
    shown += data.screen ?? Buffer.from(data.data ?? "", "base64").toString()
    if (shown.includes(words)) return
  }
}

describe("a runner that is killed while people wait for its answer", () => {
  it("is replaced, and the next one answers", async () => {
    const place = await begin({ files: { "a.txt": "made\n" } })
    await place.server.ended(place.task)
    const claim = (await eventsOf(place)).find(({ type }: { type: string }) => type === "runner_claimed")
    await freeze(place.server, pidOf(claim))
    const merging = place.server.settled("POST", `${place.path}/worktree/merge`)
    for await (const { data } of readFrames(place.server, `${place.path}/stream?include_terminal=false`)) {
      if (data.type === "worktree_command_requested") break
    }
    process.kill(pidOf(claim), "SIGKILL")
    expect((await merging).body).toMatchObject({ status: "merged" })
  })
})

describe("a server that is gone while people wait for its runner", () => {
  it("leaves what they asked for to the next, which does it by itself", async () => {
    const around = mkdtempSync(join(tmpdir(), "switchyard-restart-"))
    const env = { SWITCHYARD_DATA: join(around, "data") }
    const place = await begin({ files: { "a.txt": "made\n" } }, { env, theirs: join(around, "theirs") })
    await place.server.ended(place.task)
    const claim = (await eventsOf(place)).find(({ type }: { type: string }) => type === "runner_claimed")
    await freeze(place.server, pidOf(claim))
    const merging = place.server.call("POST", `${place.path}/worktree/merge`).catch(() => undefined)
    for await (const { data } of readFrames(place.server, `${place.path}/stream?include_terminal=false`)) {
      if (data.type === "worktree_command_requested") break
    }
    process.kill(pidOf(claim), "SIGKILL")
    await place.server.close()
    await merging
    server = await startServer({ env })
    for await (const { data } of readFrames(server, `${place.path}/stream?include_terminal=false`)) {
      if (data.type !== "worktree_command_finished") continue
      expect(data).toMatchObject({ error: null, answer: { status: "merged" } })
      break
    }
    expect(place.repository.git("show", "HEAD:a.txt")).toBe("made\n")
    const worktree = (await server.call("GET", `${place.path}/worktree`)).body
    expect(Date.parse(worktree.as_of)).toBeGreaterThan(Date.parse(claim.ts))
    await server.close()
    server = undefined
    await removeFolder(around, { kill: false })
  })
})

describe("a server that is stopped while an agent works", () => {
  it("leaves no process behind, and a log that says what happened", async () => {
    const place = await begin({ hangs: true, orphans: 1 })
    const frames = readFrames(place.server, `${place.path}/stream?include_terminal=false`)
    for await (const { data } of frames) if (data.type === "agent_session_opened") break
    const [claim] = (await eventsOf(place)).filter(({ type }: { type: string }) => type === "runner_claimed")
    await place.server.close()
    server = undefined
    await expect.poll(() => isAlive(pidOf(claim))).toBe(false)
    expect(await processesWith(`HOME=${place.server.folder}/`)).toEqual([])
  })
})

/**
 * Stops a runner between two writes. A runner that is stopped with the database locked would block all other writers.
 */
async function freeze(server: TestServer, pid: number): Promise<void> {
  for (;;) {
    process.kill(pid, "SIGSTOP")
    const { status } = await server.call("POST", "/api/v1/sessions", { json: {} })
    if (status < 300) return
    process.kill(pid, "SIGCONT")
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
