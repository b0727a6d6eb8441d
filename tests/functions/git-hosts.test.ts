import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { sessionKey } from "@switchyard/core/ids"
import { repositoryCredentialsKey } from "@switchyard/core/kernel/keys"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { serveGit } from "../fixtures/git-server.ts"
import { never as signal } from "../settings.ts"
import { makeRepository } from "./agents/repository.ts"
import { openSession } from "./agents/worktree-session.ts"
import { startServer, type TestServer } from "./server.ts"

const CANARY = "c4nary-0f-the-host"

let server: TestServer
let remote: Awaited<ReturnType<typeof serveGit>>
let served: string

beforeAll(async () => {
  server = await startServer()
  served = join(dirname(server.folder), "served")
  mkdirSync(served)
  const source = makeRepository(join(dirname(server.folder), "source"))
  execFileSync("git", ["clone", "--bare", "--quiet", source.folder, join(served, "x.git")])
  remote = await serveGit(served, { username: "oauth2", password: CANARY })
})
afterAll(async () => {
  await remote[Symbol.asyncDispose]()
  await server.close()
})

const url = (name = "x") => `http://${remote.host}/${name}.git`
const path = () => `/api/v1/git-hosts/${encodeURIComponent(remote.host)}`
const put = (token: string, more = {}) =>
  server.call("PUT", path(), { json: { token, kind: "gitea", scheme: "http", ...more } })
const open = (repository: string) => server.call("POST", "/api/v1/sessions", { json: { repository } })
const stored = (id: string) =>
  server.stores.records.get(repositoryCredentialsKey(sessionKey("local", id), "host"), { signal })

async function expectNowhere(secret: string, answers: string[] = []) {
  const forms = (["utf8", "base64", "hex"] as const).map((encoding) => Buffer.from(secret).toString(encoding))
  const all = [...(await server.kept()), ["answers", Buffer.from(answers.join("\n"))] as const]
  const found = all.filter(([, bytes]) => forms.some((form) => bytes.includes(form)))
  expect(found.map(([where]) => where)).toEqual([])
}

it("has a token with which sessions clone and push, as long as it is there, and which stands nowhere", async () => {
  const added = await put(CANARY)
  expect(added).toMatchObject({
    status: 200,
    body: { host: remote.host, kind: "gitea", username: null, api_url: `http://${remote.host}/api/v1` },
  })
  const listed = await server.call("GET", "/api/v1/git-hosts")
  expect(listed.body.git_hosts).toEqual([added.body])

  const session = await openSession(server, url())
  expect(await session.task({ files: { "a.txt": "a\n" } })).toMatchObject({ status: "completed" })
  await session.ask("POST", "/merge", { json: { commit_message: "Mine" } })
  const push = async () => (await session.ask("POST", "/push")).body
  expect(await push()).toMatchObject({ branch: "main" })
  expect(execFileSync("git", ["show", "main:a.txt"], { cwd: join(served, "x.git"), encoding: "utf8" })).toBe("a\n")
  const first = await stored(session.id)
  expect(first?.value.id).toMatch(/^ght_/)

  // A new token takes effect in open sessions.
  const refused = { error: { message: "The repository's server requires valid credentials." } }
  await put("wrong")
  expect((await stored(session.id))?.value.id).not.toBe(first?.value.id)
  expect(await push()).toMatchObject(refused)
  await put(CANARY)
  expect(await push()).toMatchObject({ branch: "main" })
  expect((await server.call("DELETE", path())).status).toBe(200)
  expect(await stored(session.id)).toBeUndefined()
  expect(await push()).toMatchObject(refused)
  expect((await server.call("GET", "/api/v1/git-hosts")).body.git_hosts).toEqual([])
  expect((await server.call("DELETE", path())).body.error.code).toBe("not_found")
  await expectNowhere(CANARY, [added.text, listed.text, JSON.stringify(await session.events())])
})

it("shows a password in the URL of a host or a git hook to nobody, nor to the agent that the hook starts", async () => {
  const inUrl = "c4nary-1n-a-url"
  const printed: string[] = []
  for (const method of ["log", "warn", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((...words) => void printed.push(words.join()))
  }
  const refused = await put(CANARY, { api_url: `http://bob:${inUrl}@${remote.host}/api/v1` })
  expect(refused.status).toBe(422)
  const added = await put(CANARY)
  const json = {
    repository: url().replace("http://", `http://bob:${inUrl}@`),
    kind: "gitlab",
    rules: [{ on: "comment" }],
    coding_agent: "mock",
    users: ["ada"],
  }
  const hook = await server.call("POST", "/api/v1/git-hooks", { json })
  expect(hook.body).toMatchObject({ repository: url() })
  const look =
    "tr '\\0' '\\n' </proc/$PPID/environ >environ.txt; env >env.txt; git config --list --show-origin >git.txt"
  const note = {
    object_kind: "note",
    project: { path_with_namespace: new URL(url()).pathname.slice(1).replace(/\.git$/, "") },
    user: { username: "ada" },
    object_attributes: {
      note: `@switchyard mock: ${JSON.stringify({ commands: [look] })}`,
      created_at: new Date().toISOString(),
    },
  }
  const headers = { "x-gitlab-token": hook.body.secret, "x-gitlab-event": "Note Hook" }
  const delivered = await server.call("POST", hook.body.path, { json: note, headers })
  expect(await server.ended(delivered.body.run_id)).toMatchObject({ status: "completed" })

  const kept = await server.kept()
  const seen = [...kept].filter(([file]) => /\/(env|environ|git)\.txt$/.test(file)).map(([, bytes]) => bytes.toString())
  expect(seen).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/PATH=|remote\.origin/)))
  const { text: events } = await server.call("GET", `/api/v1/sessions/${delivered.body.session_id}/events?limit=1000`)
  const lists = await Promise.all(["git-hosts", "git-hooks"].map((name) => server.call("GET", `/api/v1/${name}`)))
  const told = [refused, added, hook, delivered, ...lists].map((each) => each.text)
  for (const secret of [CANARY, inUrl]) await expectNowhere(secret, [...told, events, ...printed])
  vi.restoreAllMocks()
})

it("erases a session's copy with the session, and gives it no other", async () => {
  await put(CANARY)
  const session = await openSession(server, url())
  await server.call("DELETE", `/api/v1/sessions/${session.id}`)
  expect(await stored(session.id)).toBeUndefined()
  await put("another")
  expect(await stored(session.id)).toBeUndefined()
})

it.each([
  { what: "no token", token: undefined, name: "x", message: /requires a token/ },
  { what: "a wrong token", token: "wrong", name: "x", message: /rejected the token/ },
  { what: "no such repository", token: CANARY, name: "nope", message: /There is no such repository, or the token/ },
])("says at once what is wrong when a session is opened: $what", async ({ token, name, message }) => {
  await server.call("DELETE", path())
  if (token) await put(token)
  const { status, body } = await open(url(name))
  expect([status, body.error.code, body.error.message]).toEqual([
    422,
    "repository_error",
    expect.stringMatching(message),
  ])
  const run = { kind: "agent", coding_agent: "mock", user_prompt: "Do it.", repository: url(name) }
  expect((await server.call("POST", "/v1/runs", { json: run })).body.error.message).toMatch(message)
})

it("sends a token to its own host, port and scheme alone", async () => {
  await put(CANARY, { scheme: "https" })
  const before = remote.asked.length
  expect((await open(url())).status).toBe(422)
  expect(remote.asked.slice(before).map(({ authorization }) => authorization)).toEqual([undefined])
})

it("takes the credentials of the repository's own URL before those of its host", async () => {
  await put("wrong")
  const { status } = await open(url().replace("http://", `http://oauth2:${CANARY}@`))
  expect(status).toBe(201)
})

it("is known by the name that URLs of repositories have, however it was written", async () => {
  const add = (host: string, more = {}) =>
    server.call("PUT", `/api/v1/git-hosts/${host}`, { json: { token: "t", kind: "gitea", ...more } })
  expect((await add("Git.Example.org:443")).body.host).toBe("git.example.org")
  expect((await add("git.example.org:80", { scheme: "http" })).body.host).toBe("git.example.org")
  expect((await add("git.example.org:80")).body.host).toBe("git.example.org:80")
  expect((await add("127.1:8080")).body.host).toBe("127.0.0.1:8080")
  for (const none of ["git.example.org:99999", "999.999.999.999", "git:0x"]) expect((await add(none)).status).toBe(422)
  for (const host of ["git.example.org", "git.example.org:80", "127.0.0.1:8080"]) {
    expect((await server.call("DELETE", `/api/v1/git-hosts/${host}`)).status).toBe(200)
  }
})

it("has to be told which kind an unknown host is", async () => {
  // Every JavaScript object has a property `constructor`.
  for (const unknown of ["git.example.org", "constructor"]) {
    const { status, body } = await server.call("PUT", `/api/v1/git-hosts/${unknown}`, { json: { token: "t" } })
    expect([status, body.error.message]).toEqual([422, expect.stringContaining("github, gitlab or gitea")])
  }
  expect((await server.call("PUT", "/api/v1/git-hosts/GitHub.com", { json: { token: "t" } })).body).toMatchObject({
    host: "github.com",
    api_url: "https://api.github.com",
  })
})
