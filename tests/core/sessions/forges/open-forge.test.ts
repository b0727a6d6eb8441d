import { execFileSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createHostPolicy } from "@switchyard/core/network/host-policy"
import { createForgeApi } from "@switchyard/core/sessions/forges/forge-api"
import { openForge } from "@switchyard/core/sessions/forges/open-forge"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import * as z from "zod"
import { serveForge } from "../../../fixtures/forge-server.ts"
import { makeRepository } from "../../../functions/agents/repository.ts"
import { removeFolder } from "../../../remove-folder.ts"
import { never as signal } from "../../../settings.ts"

const API = { github: "/api/v3", gitlab: "/api/v4", gitea: "/api/v1" }
const KINDS = ["github", "gitlab", "gitea"] as const

let around: string
let repository: string
beforeAll(() => {
  around = mkdtempSync(join(tmpdir(), "switchyard-forges-"))
  const made = makeRepository(join(around, "x"))
  repository = made.folder
  for (let n = 0; n < 60; n++) made.git("branch", `other-${n}`)
  made.git("checkout", "-q", "-b", "work")
  made.write({ "a.txt": "a" })
  made.git("add", "-A")
  made.git("commit", "-q", "-m", "a")
})
afterAll(() => removeFolder(around, { kill: false }))

async function arrange(kind: (typeof KINDS)[number], token = "t") {
  const forge = await serveForge(kind, { token: "t", repository })
  const now = new Date().toISOString()
  const host = { host: "h", kind, username: null, scheme: "https" as const, api_url: forge.url + API[kind] }
  const opened = { ...host, id: "ght_1", token, created_at: now, rotated_at: now }
  const about = { url: "https://h/ada/x.git", hosts: createHostPolicy(["*"]), signal }
  return { forge, client: openForge(opened, about) }
}

it("waits longer for a large request, which takes time to send", async () => {
  const { forge } = await arrange("github")
  const limits = vi.spyOn(AbortSignal, "timeout")
  try {
    const api = createForgeApi({ apiUrl: forge.url, headers: {}, hosts: createHostPolicy(["*"]), signal })
    const ask = (content: string) =>
      api.ask({ method: "POST", path: "/none", body: { content }, answer: z.unknown() }, [401])
    await ask("a")
    await ask("a".repeat(10_000_000))
    const [small = 0, large = 0] = limits.mock.calls.map(([ms]) => ms)
    expect(small).toBeLessThan(20_000)
    expect(large).toBeGreaterThan(30_000)
  } finally {
    limits.mockRestore()
    await forge[Symbol.asyncDispose]()
  }
})

const request = { head: "work", base: "main", title: "A", body: "B", draft: false }

it.each(KINDS)("opens one pull request for a branch of %s, finds it among others, and updates it", async (kind) => {
  const { forge, client } = await arrange(kind)
  await using _ = forge
  expect(await client.defaultBranch()).toBe("main")
  expect(await client.find("work")).toBeUndefined()
  for (let n = 0; n < 60; n++) {
    const other = { number: n + 1, head: `other-${n}`, base: "main", title: "x", body: "", open: true }
    forge.pulls.push(other)
  }
  const made = await client.create(request)
  expect(made).toMatchObject({ number: 61, title: "A", body: "B", base: "main" })
  expect(await client.create(request)).toBeUndefined()
  expect(await client.find("work")).toEqual(made)
  await client.update(61, "C")
  expect(await client.find("work")).toMatchObject({ body: "C" })
  const commit = execFileSync("git", ["rev-parse", "work"], { cwd: repository, encoding: "utf8" }).trim()
  await client.setStatus({ commit, state: "failure", description: "x".repeat(500) })
  expect(forge.statuses).toMatchObject([{ commit, state: kind === "gitlab" ? "failed" : "failure" }])
})

it("takes it for success that a status on gitlab is set already, and nothing else that is refused like that", async () => {
  const { forge, client } = await arrange("gitlab")
  await using _ = forge
  const commit = execFileSync("git", ["rev-parse", "work"], { cwd: repository, encoding: "utf8" }).trim()
  const set = (description: string) => client.setStatus({ commit, state: "success", description })
  await set("1 check passed")
  await set("1 check passed")
  expect(forge.statuses).toHaveLength(1)
  await expect(set("")).rejects.toMatchObject({
    code: "repository_error",
    details: { status: 400, said: "description is empty" },
  })
})

it.each(KINDS)("says what %s has against it", async (kind) => {
  const { forge, client } = await arrange(kind, "wrong")
  await using _ = forge
  await expect(client.find("work")).rejects.toMatchObject({
    code: "repository_error",
    message: expect.stringContaining("rejected the token"),
    details: { status: 401, said: "Bad credentials" },
  })
})

it("takes no address for a link that a browser would run", async () => {
  const { forge, client } = await arrange("github")
  await using _ = forge
  forge.link.to = "javascript:alert(1)"
  await expect(client.create(request)).rejects.toMatchObject({
    message: expect.stringContaining("unexpected response"),
  })
})
