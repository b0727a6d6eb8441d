import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { readAll } from "@switchyard/core/storage/blobs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readFrames } from "../functions/agents/frames.ts"
import { makeRepository } from "../functions/agents/repository.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { needs } from "../needs.ts"
import { noTerminals, switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Starts a mock agent that runs until it is cancelled. Returns its session and run. */
async function waiting() {
  const { id } = (await server.call("POST", "/api/v1/sessions")).body
  const json = { coding_agent: "mock", task_description: 'mock: {"hangs":true}' }
  const { task_id } = (await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })).body
  const frames = readFrames(server, `/api/v1/sessions/${id}/stream?include_terminal=false`)
  for await (const { data } of frames) if (data.type === "agent_session_opened") break
  return { id, runId: task_id }
}
const statusOf = async (runId: string) => (await server.call("GET", `/v1/runs/${runId}`)).body.status

describe("a run of an agent from a terminal", () => {
  it("works in the repository that is named, tells what it does, and ends with 0", async () => {
    const repository = makeRepository(join(dirname(server.folder), "theirs"))
    const args = ["run", 'mock: {"files":{"a.txt":"a"}}', "--agent", "mock", "--repository", "theirs"]
    const ended = await switchyard(args, { url: server.url, cwd: dirname(repository.folder) })
    expect(ended).toMatchObject({ code: 0, stderr: "" })
    expect(ended.stdout).toMatch(/agent +Mock started/)
    expect(ended.stdout).toMatch(/a\.txt saved/)
    const [, branch = ""] = /branch +The work is on (\S+) of \S+theirs\n/.exec(ended.stdout) ?? []
    expect(repository.git("show", `${branch}:a.txt`)).toBe("a")
  })

  it("says in the end what the agent left unresolved, and how to settle it", async () => {
    const repository = makeRepository(join(dirname(server.folder), "unresolved"), { "a.txt": "base\n" })
    const { id } = (await server.call("POST", "/api/v1/sessions", { json: { repository: repository.folder } })).body
    const run = (knobs: object) =>
      switchyard(["run", `mock: ${JSON.stringify(knobs)}`, "--agent", "mock", "--workspace", id], { url: server.url })
    expect(await run({ files: { "a.txt": "agent\n" } })).toMatchObject({ code: 0 })
    repository.write({ "a.txt": "main\n" })
    repository.git("commit", "-qam", "meanwhile")
    const merges = "git -c user.name=A -c user.email=a@example.org merge main || true"
    const { stdout } = await run({ commands: [merges] })
    expect(stdout).toMatch(/branch +A merge in the worktree isn't finished, with conflicts in a\.txt\./)
    expect(stdout).toContain(`npx switchyard shell ${id}`)
    expect((await server.call("GET", `/api/v1/sessions/${id}`)).body.unmerged_worktrees).toEqual(["main"])
  })

  it("fails with 1, and says what to do, where its worktree is damaged beyond repair", async () => {
    const repository = makeRepository(join(dirname(server.folder), "lost"))
    const { id } = (await server.call("POST", "/api/v1/sessions", { json: { repository: repository.folder } })).body
    const ask = (method: string, path = "") => server.call(method, `/api/v1/sessions/${id}/worktree${path}`)
    const run = () => {
      const args = ["run", 'mock: {"files":{"a.txt":"a"}}', "--agent", "mock", "--workspace", id]
      return switchyard(args, { url: server.url })
    }
    expect(await run()).toMatchObject({ code: 0, stderr: "" })
    const { path } = (await ask("GET", "?fresh=true")).body
    // Clone the repository again and delete the saved work, so that the worktree can't be restored.
    rmSync(path, { recursive: true })
    rmSync(repository.folder, { recursive: true })
    makeRepository(repository.folder)
    const { blobs } = server.stores
    for await (const { key } of blobs.list("s/")) {
      const found = await blobs.get(key)
      if (found && (await readAll(found)).subarray(0, 20).includes("git bundle")) await blobs.remove(key)
    }
    const words = "The worktree is damaged and its work can't be recovered. Delete or recreate it."
    expect(await ask("GET", "?fresh=true")).toMatchObject({
      status: 409,
      body: { error: { code: "worktree_damaged", message: words } },
    })
    const refused = await run()
    expect(refused.code).toBe(1)
    expect(refused.stdout.replaceAll(/\s+/g, " ")).toContain(words)
    expect(await ask("DELETE")).toMatchObject({ status: 200, body: { deleted: true } })
    expect(await run()).toMatchObject({ code: 0, stderr: "" })
  })

  it("is refused where nobody agreed to it, and where no agent is named", async () => {
    const unknown = await switchyard(["run", "x", "--agent", "nobody"], { url: server.url })
    expect(unknown).toMatchObject({ code: 1, stdout: "" })
    expect(unknown.stderr).toContain("There is no account with this name.")
    const alone = await switchyard(["run", "x", "--repository", "."], { url: server.url })
    expect(alone.code).toBe(2)
  })
})

describe("attached to a session", needs(noTerminals()), () => {
  it("sends what is typed, and leaves at the detach key what runs there", async () => {
    const { id, runId } = await waiting()
    let step = 0
    const steps = [
      { seen: /Attached to pty_/, keys: "hello agent\r" },
      // The terminal driver echoes the line, which shows that the agent's terminal is attached.
      { seen: /hello agent/, keys: "\u001d" },
    ]
    const ended = await switchyard(["attach", id], {
      url: server.url,
      tty: true,
      interactive: true,
      onOutput(output, child) {
        if (!steps[step]?.seen.test(output)) return
        child.stdin?.write(steps[step]?.keys ?? "")
        step++
      },
    })
    expect(ended.code).toBe(0)
    expect(ended.stdout).toContain("Detached.")
    expect(await statusOf(runId)).toBe("running")
    const { events } = (await server.call("GET", `/api/v1/sessions/${id}/events?event_types=user_message`)).body
    expect(events).toContainEqual(expect.objectContaining({ source: "terminal", content: "hello agent" }))
    await server.call("POST", `/v1/runs/${runId}/cancel`)
  })

  it("ends with the terminal, and as it did", async () => {
    const { id, runId } = await waiting()
    let typed = false
    const attached = switchyard(["attach", id], {
      url: server.url,
      tty: true,
      interactive: true,
      onOutput(output, child) {
        // Ctrl-C goes to the agent and doesn't end `attach`.
        if (typed || !/Attached to pty_/.test(output)) return
        typed = true
        child.stdin?.write("\u0003")
      },
    })
    expect((await attached).code).toBe(0)
    expect((await server.ended(runId)).status).toBe("cancelled")
    const late = await switchyard(["attach", id], { url: server.url })
    expect(late).toMatchObject({ code: 1, stdout: "" })
    expect(late.stderr).toContain("No terminal is open")
  })
})

describe("a shell in a worktree", needs(noTerminals()), () => {
  it("is there beside the agent, with the files of the worktree, and ends as it says", async () => {
    const repository = makeRepository(join(dirname(server.folder), "shelled"))
    const { id } = (await server.call("POST", "/api/v1/sessions", { json: { repository: repository.folder } })).body
    expect(await switchyard(["shell", id], { url: server.url })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no worktree"),
    })
    const json = { coding_agent: "mock", task_description: 'mock: {"files":{"made.txt":"by the agent"}}' }
    const { task_id } = (await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })).body
    expect((await server.ended(task_id)).status).toBe("completed")
    let typed = false
    const ended = await switchyard(["shell", id], {
      url: server.url,
      tty: true,
      interactive: true,
      onOutput(output, child) {
        if (typed || !/Attached to pty_/.test(output)) return
        typed = true
        child.stdin?.write("cat made.txt; echo; git branch --show-current; exit 7\r")
      },
    })
    expect(ended.stdout).toContain("by the agent")
    expect(ended.stdout).toContain("switchyard/")
    expect(ended.code).toBe(1)
    // `switchyard shell` can exit before the log contains the terminal's end.
    const last = async () => (await server.call("GET", `/api/v1/sessions/${id}/terminals`)).body.terminals.at(-1)
    await expect.poll(last).toMatchObject({ kind: "shell", title: "Shell", run_id: null, open: false, exit_code: 7 })
  })

  it("isn't taken for the agent's terminal", async () => {
    const { id, runId } = await waiting()
    const { pty } = (await server.settled("POST", `/api/v1/sessions/${id}/worktree/shell`, { json: {} })).body
    const { terminals } = (await server.call("GET", `/api/v1/sessions/${id}/terminals`)).body
    expect(terminals.at(-1)).toMatchObject({ pty, kind: "shell", open: true })
    const seen = await switchyard(["attach", id], {
      url: server.url,
      tty: true,
      interactive: true,
      onOutput: (output, child) => void (/Attached to pty_/.test(output) && child.stdin?.write("\u001d")),
    })
    expect(seen.stdout).toContain(`Attached to ${terminals[0].pty}`)
    await server.call("POST", `/v1/runs/${runId}/cancel`)
  })
})
