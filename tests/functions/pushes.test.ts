import { execFileSync } from "node:child_process"
import { dirname, join } from "node:path"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { put } from "../core/files/workspaces/stage.ts"
import { serveForge } from "../fixtures/forge-server.ts"
import { never as signal } from "../settings.ts"
import { makeRepository } from "./agents/repository.ts"
import { startServer, type TestServer } from "./server.ts"

const TOKEN = "t0ken-0f-the-forge"
const KINDS = ["github", "gitlab", "gitea"] as const
const API = { github: "/api/v3", gitlab: "/api/v4", gitea: "/api/v1" }

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]()
})

let places = 0
/** Starts a host without the repository, and opens a session with these files. */
async function arrange(kind: (typeof KINDS)[number], files: Record<string, string>) {
  const repository = join(dirname(server.folder), `pushed-${++places}`, "x.git")
  const forge = await serveForge(kind, { token: TOKEN, repository })
  opened.push(forge)
  const { host } = new URL(forge.url)
  const json = { token: TOKEN, kind, scheme: "http", api_url: `${forge.url}${API[kind]}` }
  await server.call("PUT", `/api/v1/git-hosts/${encodeURIComponent(host)}`, { json })
  const id = `pushed-${places}`
  const edit = (path: string, content: string) =>
    server.call("PUT", "/workspace/file", { json: { path, content, workspace_id: id } })
  for (const [path, content] of Object.entries(files)) await edit(path, content)
  const push = (more: object = {}) =>
    server.call("POST", `/api/v1/sessions/${id}/push`, { json: { url: `http://${host}/ada/x.git`, ...more } })
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repository, encoding: "utf8" }).trim()
  return { id, forge, host, edit, push, git }
}

const FILES = {
  "index.html": "<h1>Tea</h1>",
  "docs/a b.md": "é\n",
  ".env": "KEY=1",
  ".env.example": "KEY=",
  ".gitignore": "dist\n",
  "certs/server.pem": "-----",
  "config/api-token.txt": "t0ken",
  "node_modules/a/index.js": "a",
}

describe.each(KINDS)("a push to %s", (kind) => {
  it("creates a private repository, and then adds a branch with a pull request", async () => {
    const { id, forge, host, edit, push, git } = await arrange(kind, FILES)
    const first = await push({ message: "Tea list" })
    expect(first, JSON.stringify(first.body)).toMatchObject({
      status: 200,
      body: {
        created: true,
        branch: "main",
        file_count: 4,
        pull_request: null,
        pull_request_error: null,
        left_out: [".env", "certs/server.pem", "config/api-token.txt", "node_modules/a/index.js"],
      },
    })
    expect(forge.files.created).toEqual({ private: true })
    expect(git("log", "--format=%s", "main")).toBe("Tea list\nInitial commit")
    expect(git("rev-parse", "main")).toBe(first.body.commit)
    const names = ["-c", "core.quotePath=off", "ls-tree", "-r", "--name-only"]
    expect(git(...names, "main").split("\n")).toEqual([
      ".env.example",
      ".gitignore",
      "README.md",
      "docs/a b.md",
      "index.html",
    ])
    expect(git("show", "main:docs/a b.md")).toBe("é")

    await edit("index.html", "<h1>Tea 2</h1>")
    await edit("new.txt", "new")
    const second = await push({ branch: "feature/tea" })
    expect(second, JSON.stringify(second.body)).toMatchObject({
      status: 200,
      body: { created: false, branch: "feature/tea", pull_request: { number: 1 } },
    })
    expect(forge.pulls).toMatchObject([{ head: "feature/tea", base: "main" }])
    expect(git("rev-parse", "main")).toBe(first.body.commit)
    expect(git("rev-parse", "feature/tea^")).toBe(first.body.commit)
    expect(git("show", "feature/tea:index.html")).toBe("<h1>Tea 2</h1>")
    expect(git("show", "feature/tea:README.md")).toBe("# x")

    // An existing branch is never changed.
    const again = await push({ branch: "feature/tea" })
    expect(again).toMatchObject({ status: 422, body: { error: { code: "repository_error" } } })
    expect((await push({ branch: "main" })).status).toBe(422)
    expect(git("rev-parse", "feature/tea")).toBe(second.body.commit)
    const { events } = (await server.call("GET", `/api/v1/sessions/${id}/events`)).body
    expect(events.filter(({ type }: { type: string }) => type === "session_pushed")).toMatchObject([
      { url: `http://${host}/ada/x`, created: true, branch: "main" },
      { created: false, branch: "feature/tea", pull_request: { number: 1 } },
    ])
  })
})

describe.each(KINDS)("a push to %s", (kind) => {
  it("keeps every byte of a binary file, and the permission to execute if the host's API has it", async () => {
    const { id, host, push, git } = await arrange(kind, FILES)
    const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xfe, 0x0d, 0x0a, 0])
    const core = server.core()
    const session = await core.sessions.find("local", id, { signal })
    const log = await openSessionLog(core.executor, session.sid, { signal })
    const written = [put("logo.png", image), put("build.sh", "#!/bin/sh\necho é\n", { mode: 0o755 })]
    await commitChanges({ ...server.stores }, log, written, { signal })
    await push()
    const bytes = execFileSync("git", ["cat-file", "blob", "main:logo.png"], {
      cwd: git("rev-parse", "--absolute-git-dir"),
    })
    expect(bytes).toEqual(image)
    const mode = git("ls-tree", "main", "build.sh").slice(0, 6)
    // Gitea's file API has no permissions, and neither has GitLab's action that creates a file.
    expect(mode, host).toBe(kind === "github" ? "100755" : "100644")
    expect(git("show", "main:build.sh")).toContain("echo é")
  })

  it("remains, and is reported, if its pull request can't be opened", async () => {
    const { id, forge, edit, push, git } = await arrange(kind, FILES)
    await push()
    await edit("new.txt", "new")
    forge.loseNextReply()
    const pushed = await push({ branch: "tea" })
    expect(pushed, pushed.text).toMatchObject({
      status: 200,
      body: { branch: "tea", commit: git("rev-parse", "tea"), pull_request: null },
    })
    expect(pushed.body.pull_request_error).toBe("The repository host's API can't be reached.")
    const { events } = (await server.call("GET", `/api/v1/sessions/${id}/events`)).body
    expect(events.at(-1)).toMatchObject({ type: "session_pushed", branch: "tea", commit: git("rev-parse", "tea") })
  })
})

it("is refused if the session works in a repository, because it stores only the changed files", async () => {
  const { folder } = makeRepository(join(dirname(server.folder), "worked-in"), { "index.html": "a", "b.txt": "b" })
  const { body } = await server.call("POST", "/api/v1/sessions", { json: { repository: folder } })
  const json = { url: "https://git.example.org/ada/x" }
  const pushed = await server.call("POST", `/api/v1/sessions/${body.id}/push`, { json })
  expect(pushed).toMatchObject({ status: 422, body: { error: { code: "invalid_request" } } })
  expect(pushed.body.error.message).toContain("Open a pull request")
  const { body: app } = await server.call("GET", `/api/v1/sessions/${body.id}/app`)
  expect(app.reason).toContain("in a repository")
  const published = await server.call("POST", `/api/v1/sessions/${body.id}/app`, { json: { name: "tea-repository" } })
  expect(published).toMatchObject({ status: 422, body: { error: { message: app.reason } } })
})

it("is refused without a token for the host, with a wrong one, or without files", async () => {
  const { push, host, id } = await arrange("github", { "index.html": "a" })
  expect((await push({ url: "https://git.example.org/ada/x" })).body.error.message).toContain("no token")
  // A token is only sent over the scheme for which it was added.
  expect((await push({ url: `https://${host}/ada/x` })).body.error.message).toContain("no token")
  expect((await push({ url: "ssh://git@example.org/ada/x" })).status).toBe(422)
  expect((await push({ url: `http://${host}/x` })).body.error.message).toContain("missing an owner")
  const withSecret = await push({ url: `http://ada:s3cret@${host}/ada/x` })
  expect(withSecret).toMatchObject({ status: 422, body: { error: { code: "validation_error" } } })
  expect(withSecret.text).not.toContain("s3cret")
  const json = { token: "wrong", kind: "github", scheme: "http", api_url: `http://${host}/api/v3` }
  await server.call("PUT", `/api/v1/git-hosts/${encodeURIComponent(host)}`, { json })
  expect((await push()).body.error.message).toContain("rejected the token")
  await server.call("DELETE", `/workspace/path?path=index.html&workspace_id=${id}`)
  await server.call("PUT", "/workspace/file", { json: { path: ".env", content: "K=1", workspace_id: id } })
  expect((await push()).body.error.message).toContain("no files to push")
})

it("to github is refused with too many binary files, and with the reason if the host's limit is used up", async () => {
  const { id, push, forge } = await arrange("github", { "index.html": "a" })
  const log = await openSessionLog(
    server.core().executor,
    (await server.core().sessions.find("local", id, { signal })).sid,
    { signal },
  )
  const images = Array.from({ length: 71 }, (_, n) => put(`${n}.png`, Buffer.from([0x89, 0, n])))
  await commitChanges({ ...server.stores }, log, images, { signal })
  expect((await push()).body.error.message).toContain("71 images and other binary files")
  expect(forge.files.created).toBeUndefined()
  await server.call("DELETE", `/workspace/path?path=70.png&workspace_id=${id}`)
  forge.refuses.blobs = true
  expect((await push()).body.error.message).toMatch(/Try again in a few minutes\. It said: "You have exceeded/)
})
