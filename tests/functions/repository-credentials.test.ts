import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { createRepositoryCredentials } from "@switchyard/core/files/worktrees/repository-credentials"
import { sessionKey } from "@switchyard/core/ids"
import { repositoryCredentialsKey } from "@switchyard/core/kernel/keys"
import { createSealer } from "@switchyard/core/storage/sealing"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { serveGit } from "../fixtures/git-server.ts"
import { isRoot } from "../hostile/agent.ts"
import { needs } from "../needs.ts"
import { never as signal } from "../settings.ts"
import { makeRepository } from "./agents/repository.ts"
import { openSession } from "./agents/worktree-session.ts"
import { startServer, type TestServer } from "./server.ts"

const AGENT_USER = "nobody"
const CANARY = "c4nary-0f-the-repository"

let server: TestServer
let remote: Awaited<ReturnType<typeof serveGit>>
let printed = ""
const said: string[] = []

beforeAll(async () => {
  vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    printed += chunk
    return true
  })
  const started = await startServer()
  server = {
    ...started,
    async call(...given) {
      const answer = await started.call(...given)
      said.push(answer.text, JSON.stringify([...answer.headers]))
      return answer
    },
  }
  const folder = join(dirname(server.folder), "served")
  mkdirSync(folder)
  const source = makeRepository(join(dirname(server.folder), "source"))
  execFileSync("git", ["clone", "--bare", "--quiet", source.folder, join(folder, "x.git")])
  remote = await serveGit(folder, { username: "bob", password: CANARY })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await remote[Symbol.asyncDispose]()
  await server.close()
})

const urls = () => ({ given: `http://bob:${CANARY}@${remote.host}/x.git`, told: `http://${remote.host}/x.git` })
const stored = (id: string) =>
  server.stores.records.get(repositoryCredentialsKey(sessionKey("local", id), "repository"), { signal })

async function expectNowhere() {
  const forms = (["utf8", "base64", "hex", "utf16le"] as const).map((encoding) =>
    encoding === "utf16le" ? Buffer.from(CANARY, "utf16le") : Buffer.from(Buffer.from(CANARY).toString(encoding)),
  )
  const findings = [
    ...(await server.kept()),
    ["answers", Buffer.from(said.join("\n"))],
    ["printed", Buffer.from(printed)],
  ]
    .filter(([, bytes]) => forms.some((form) => (bytes as Buffer).includes(form)))
    .map(([where]) => where)
  expect(findings).toEqual([])
}

it("is cloned from, worked in and pushed to, and its password is nowhere", async () => {
  const { given, told } = urls()
  const session = await openSession(server, given)
  expect((await server.call("GET", `/api/v1/sessions/${session.id}`)).body.repository).toBe(told)
  expect(await session.task({ files: { "a.txt": "a\n" } })).toMatchObject({ status: "completed" })
  expect(await stored(session.id)).toBeDefined()
  expect((await session.ask("POST", "/merge", { json: { commit_message: "Mine" } })).body).toMatchObject({
    success: true,
  })
  expect((await session.ask("POST", "/push")).body).toMatchObject({ branch: "main" })
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: join(dirname(server.folder), "served/x.git"), encoding: "utf8" })
  expect(git("show", "main:a.txt")).toBe("a\n")
  const configs = [...(await server.kept())].filter(([file]) => /clone\/config$/.test(file))
  expect(configs.map(([, bytes]) => bytes.toString())).toEqual([expect.stringContaining(told)])

  const events = await session.events()
  expect(events.flatMap(({ repository }) => repository ?? [])).toContain(told)
  await server.call("GET", `/v1/runs`)
  await expectNowhere()

  // A request without credentials uses the session's own, but only for the session's URL.
  const again = { task_description: "More", coding_agent: "mock", project_path: told }
  const more = await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json: again })
  expect(await server.ended(more.body.task_id)).toMatchObject({ status: "completed" })
  const other = { ...again, project_path: given.replace("x.git", "y.git") }
  const refused = await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json: other })
  expect(refused.body.error).toMatchObject({ code: "task_invalid", details: { repository: told } })

  await server.call("DELETE", `/api/v1/sessions/${session.id}`)
  expect(await stored(session.id)).toBeUndefined()
  await expectNowhere()
})

/** Starts a server that an agent leads git to. Like the repository's server, it requires a password. */
async function openTrap() {
  const heard: string[] = []
  const trap = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.rawHeaders)}`)
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end("No.")
  }).listen(0, "127.0.0.1")
  trap.on("connect", (request, socket) => {
    heard.push(`CONNECT ${request.url} ${JSON.stringify(request.rawHeaders)}`)
    socket.end("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\n\r\n")
  })
  await once(trap, "listening")
  return { heard, url: `http://127.0.0.1:${(trap.address() as AddressInfo).port}`, close: () => trap.close() }
}

it("isn't told to a server or a program that an agent's settings lead git to", async () => {
  const { given, told } = urls()
  const trap = await openTrap()
  const around = dirname(server.folder)
  const spied = join(around, "spied")
  const spy = join(around, "spy")
  writeFileSync(spied, "")
  const look = "cat /proc/self/environ /proc/$PPID/environ /proc/$PPID/cmdline; cat; git config --list"
  writeFileSync(spy, `#!/bin/sh\n{ echo "$0 $@"; ${look}; } >>${spied} 2>&1 </dev/null\n`, { mode: 0o755 })
  const hooks = join(around, "hooks")
  mkdirSync(hooks)
  for (const name of ["pre-push", "reference-transaction", "post-checkout", "pre-auto-gc"]) {
    symlinkSync(spy, join(hooks, name))
  }
  const session = await openSession(server, given)
  await session.task({ files: { "b.txt": "b\n" } })
  await session.ask("POST", "/merge", { json: { commit_message: "Mine" } })
  const clone = join(server.folder, "projects", sessionKey("local", session.id), "1", "clone")
  const origin = new URL(told).origin
  const settings: [string, string][] = [
    [`url.${trap.url}/.insteadOf`, `${origin}/`],
    [`url.${trap.url}/x.git.insteadOf`, told],
    [`url.${trap.url}/.pushInsteadOf`, "http://"],
    ["remote.origin.url", `${trap.url}/x.git`],
    ["remote.origin.url", `${told}/../y.git`],
    ["remote.origin.pushurl", `http://bob@${new URL(trap.url).host}/x.git`],
    ["remote.origin.proxy", trap.url],
    ["http.proxy", trap.url],
    ["http.http://127.0.0.1.proxy", trap.url],
    ["http.followRedirects", "true"],
    ["remote.origin.receivepack", spy],
    ["credential.helper", spy],
    [`credential.${origin}.helper`, `!${spy}`],
    ["credential.http://127.0.0.1.helper", spy],
    ["core.askPass", spy],
    ["core.fsmonitor", spy],
    ["core.sshCommand", spy],
    ["core.hooksPath", hooks],
    ["push.gpgSign", "true"],
    ["gpg.program", spy],
    ["include.path", join(around, "included")],
  ]
  writeFileSync(join(around, "included"), `[credential]\n\thelper = ${spy}\n[remote "origin"]\n\tproxy = ${trap.url}\n`)
  const config = readFileSync(join(clone, "config"))
  for (const [name, value] of settings) {
    execFileSync("git", ["config", "--replace-all", name, value], { cwd: clone })
    said.push((await session.ask("POST", "/push")).text)
    writeFileSync(join(clone, "config"), config)
  }
  expect((await session.ask("POST", "/push")).body).toMatchObject({ branch: "main" })
  const basic = Buffer.from(`bob:${CANARY}`).toString("base64")
  expect(trap.heard.length).toBeGreaterThan(0)
  // The trap doesn't learn the address of the runner's proxy either, which has the password.
  expect(trap.heard.filter((request) => /^\S+ http:/.test(request))).toEqual([])
  for (const secret of [CANARY, basic]) {
    expect(trap.heard.filter((request) => request.includes(secret))).toEqual([])
    expect(readFileSync(spied, "utf8")).not.toContain(secret)
  }
  expect(remote.asked.filter(({ path }) => !path.startsWith("/x.git/"))).toEqual([])
  trap.close()
  await server.call("DELETE", `/api/v1/sessions/${session.id}`)
  await expectNowhere()
})

it("is named in a run, too, and asked for again under the same key", async () => {
  const { given, told } = urls()
  const json = { kind: "agent", coding_agent: "mock", user_prompt: "Do it.", repository: given }
  const headers = { "idempotency-key": "one" }
  const { body } = await server.call("POST", "/v1/runs", { json, headers })
  expect(await server.ended(body.run_id)).toMatchObject({ status: "completed" })
  expect((await server.call("POST", "/v1/runs", { json, headers })).body.run_id).toBe(body.run_id)
  const without = await server.call("POST", "/v1/runs", { json: { ...json, repository: told }, headers })
  expect(without.body.run_id).toBe(body.run_id)
  await expectNowhere()
})

it("isn't reached by another session, of whichever owner, nor with the credentials of another", async () => {
  const { given } = urls()
  const first = await openSession(server, given)
  const second = await openSession(server, given)
  const own = repositoryCredentialsKey(sessionKey("local", second.id), "repository")
  await server.stores.records.remove(own, { signal })
  const before = remote.asked.length
  const { status, error } = await second.task({ files: {} })
  expect([status, error?.message]).toEqual(["failed", "The repository's server requires valid credentials."])
  expect(new Set(remote.asked.slice(before).map(({ authorization }) => authorization))).toEqual(new Set([undefined]))

  // Replaces one session's record with another session's.
  const record = await stored(first.id)
  await server.stores.records.put(own, { value: {}, bytes: record?.bytes }, { signal })
  expect(await second.task({ files: {} })).toMatchObject({ status: "failed" })
})

it(
  "is cloned by a git of the agents' user, and in no process that others could look into",
  needs(isRoot ? undefined : "this user isn't root"),
  async () => {
    vi.stubEnv("SWITCHYARD_AGENT_USER", AGENT_USER)
    const started = await startServer()
    // The agents' user must be able to enter the folder.
    chmodSync(dirname(started.folder), 0o755)
    let ofAgents = 0
    let withPassword = 0
    remote.onRequest = () => {
      for (const { pid, text } of processes()) {
        if (text.includes(CANARY)) withPassword++
        if (text.includes("remote-http") && ownerOf(pid) !== 0) ofAgents++
      }
    }
    const session = await openSession(started, urls().given)
    const done = await session.task({ files: { "b.txt": "b\n" } })
    remote.onRequest = undefined
    vi.unstubAllEnvs()
    await started.close()
    expect(done).toMatchObject({ status: "completed" })
    expect(ofAgents).toBeGreaterThan(0)
    expect(withPassword).toBe(0)
  },
)

/** Returns the command lines and environments of all processes except this one. */
function processes(): { pid: string; text: string }[] {
  const read = (pid: string, name: string) => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, "utf8")
    } catch {
      // The process has ended.
      return ""
    }
  }
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
  return pids.map((pid) => ({ pid, text: `${read(pid, "cmdline")}\n${read(pid, "environ")}` }))
}

function ownerOf(pid: string): number {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? 0
}

it("opens for its own session, life and URL alone", async () => {
  const { records } = server.stores
  const master = (byte: number) => createSealer(new Uint8Array(32).fill(byte))
  const mine = createRepositoryCredentials({ records, sealerOf: (sid) => master(sid.length) })
  const credentials = { username: "bob", password: "x" }
  await mine.store({ sid: "a", incarnation: 1 }, { url: "https://h/x", credentials }, { signal })
  const get = (sid: string, incarnation: number, url: string) => mine.get({ sid, incarnation }, url, { signal })
  expect(await get("a", 1, "https://h/x")).toEqual(credentials)
  expect(await get("a", 2, "https://h/x")).toBeUndefined()
  expect(await get("a", 1, "https://h/y")).toBeUndefined()
  expect(await get("b", 1, "https://h/x")).toBeUndefined()
  const ofHost = { username: "oauth2", password: "y" }
  await mine.storeOfHost(
    { sid: "a", incarnation: 1 },
    { id: "ght_1", url: "https://h/x", credentials: ofHost },
    { signal },
  )
  expect(await get("a", 1, "https://h/x")).toEqual(credentials)
  await mine.storeOfHost(
    { sid: "b", incarnation: 1 },
    { id: "ght_1", url: "https://h/x", credentials: ofHost },
    { signal },
  )
  expect(await get("b", 1, "https://h/x")).toEqual(ofHost)
  expect(await get("b", 1, "https://h/y")).toBeUndefined()
  await mine.erase("b", { signal })
  expect(await get("b", 1, "https://h/x")).toBeUndefined()
  await mine.erase("a", { signal })
  expect(await get("a", 1, "https://h/x")).toBeUndefined()
})
