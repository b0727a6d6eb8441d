import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type LoginFiles, loginRevision } from "@switchyard/core/agents/runner/login-files"
import type { LoginAnswer, LoginRequest } from "@switchyard/core/agents/runner/login-schema"
import { systemClock } from "@switchyard/core/time"
import { ownFiles } from "@switchyard/runner/files/files"
import { type HeldLogin, takeLogin } from "@switchyard/runner/serving/held-login"
import { afterEach, beforeEach, expect, it } from "vitest"
import { never as signal } from "../../settings.ts"

let home: string
let stored: LoginFiles | undefined
let asked: LoginRequest[]
let reported: unknown[]
let isServerGone: boolean
let onAsked: (request: LoginRequest) => void
/** Ends the current sleep of the holder. */
let wake: () => void

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "switchyard-home-"))
  stored = login("one")
  asked = []
  reported = []
  isServerGone = false
  onAsked = () => undefined
})
afterEach(() => rm(home, { recursive: true }))

function login(name: string): LoginFiles {
  return { "auth.json": JSON.stringify({ tokens: { refresh_token: `${name}-0123456789abcdefghij` } }) }
}

/** Answers like the server does for a login that no other run holds. */
async function ask(request: LoginRequest): Promise<LoginAnswer> {
  asked.push(request)
  if (isServerGone) throw new Error("The server is gone.")
  if (!stored) return { state: "gone" }
  const refreshed = "refreshed" in request ? request.refreshed : undefined
  if (refreshed && refreshed.revision === loginRevision(stored)) stored = refreshed.files
  onAsked(request)
  const held = { state: "held" as const, id: "acc_1", revision: loginRevision(stored) }
  return request.act === "take" ? { ...held, files: stored } : held
}

/** A clock whose sleeps end with `wake`. */
const clock = {
  ...systemClock,
  sleep: (_ms: number, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise<void>((resolve, reject) => {
      wake = resolve
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true })
    }),
}

async function take(): Promise<HeldLogin> {
  const user = { worktree: "main", repository: "own" as const }
  const use = { runId: "run_1", account: "work", cli: "codex" as const, user, home, disk: ownFiles }
  const taken = await takeLogin({ ask, clock, report: (error) => reported.push(error) }, use, { signal })
  if (taken.state !== "held") throw new Error(`It is ${taken.state}.`)
  return taken
}

const file = () => join(home, ".codex/auth.json")
const inHome = () => readFile(file(), "utf8").catch(() => undefined)
const renew = (name: string) => writeFile(file(), login(name)["auth.json"] ?? "")

it("lies in the home while it is held, and is stored as it was left", async () => {
  const held = await take()
  expect(await inHome()).toBe(login("one")["auth.json"])
  await renew("two")
  await held[Symbol.asyncDispose]()
  expect(await inHome()).toBeUndefined()
  expect(stored).toEqual(login("two"))
  expect(asked.at(-1)?.act).toBe("release")
  expect(reported).toEqual([])
})

it("is stored while it is held, and blanked from the moment at which it is renewed", async () => {
  const held = await take()
  await renew("two")
  const shown = held.concealment.events([{ type: "agent_notice", text: login("two")["auth.json"] ?? "" }])
  expect(JSON.stringify(shown)).not.toContain("0123456789abcdefghij")
  const kept = Promise.withResolvers<void>()
  onAsked = ({ act }) => act === "keep" && kept.resolve()
  wake()
  await kept.promise
  expect(stored).toEqual(login("two"))
  await held[Symbol.asyncDispose]()
  expect(asked.map(({ act }) => act)).toEqual(["take", "keep", "release"])
})

it("goes on from what a runner that died has left, and from the stored one where that is another by now", async () => {
  await take()
  await renew("two")
  isServerGone = true
  const lost = await take().catch((error) => error)
  expect(lost).toBeInstanceOf(Error)
  expect(await inHome()).toBe(login("two")["auth.json"])
  isServerGone = false
  // As if the first runner had died before it stored the new version.
  stored = login("one")
  const second = await take()
  expect(stored).toEqual(login("two"))
  expect(await inHome()).toBe(login("two")["auth.json"])
  await second[Symbol.asyncDispose]()

  const third = await take()
  await renew("three")
  stored = login("elsewhere")
  await take()
  expect(await inHome()).toBe(login("elsewhere")["auth.json"])
  await third[Symbol.asyncDispose]()
  expect(stored).toEqual(login("elsewhere"))
})

it("is stored again after it was renewed twice, where only the answer to the first time was lost", async () => {
  const held = await take()
  await renew("two")
  const lost = Promise.withResolvers<void>()
  onAsked = () => {
    onAsked = () => undefined
    lost.resolve()
    throw new Error("The answer is lost.")
  }
  wake()
  await lost.promise
  expect(stored).toEqual(login("two"))
  await renew("three")
  await held[Symbol.asyncDispose]()
  expect(stored).toEqual(login("three"))
})

it("is stored by the next runner where the first died after that", async () => {
  await take()
  await renew("two")
  onAsked = () => {
    onAsked = () => undefined
    throw new Error("The answer is lost, and its runner is killed.")
  }
  wake()
  await expect.poll(() => reported).toHaveLength(1)
  await renew("three")
  const next = await take()
  expect(stored).toEqual(login("three"))
  await next[Symbol.asyncDispose]()
  expect(stored).toEqual(login("three"))
})

it("stays in the home when the server can't store it, for the next to store", async () => {
  const held = await take()
  await renew("two")
  isServerGone = true
  await held[Symbol.asyncDispose]()
  expect(reported).toHaveLength(1)
  isServerGone = false
  await (await take())[Symbol.asyncDispose]()
  expect(stored).toEqual(login("two"))
  expect(await inHome()).toBeUndefined()
})

it("stores nothing that isn't a login, and neither reads nor removes anything through a link", async () => {
  const outside = join(home, "outside")
  await mkdir(outside)
  await writeFile(join(outside, "auth.json"), login("of-the-machine")["auth.json"] ?? "")
  for (const spoil of [
    () => writeFile(file(), "{"),
    () => writeFile(file(), JSON.stringify({ OPENAI_API_KEY: "sk-0123456789abcdefghij" })),
    () => rm(file()),
    async () => {
      await rm(join(home, ".codex"), { recursive: true })
      await symlink(outside, join(home, ".codex"))
    },
  ]) {
    const held = await take()
    await spoil()
    await held[Symbol.asyncDispose]()
    expect(stored).toEqual(login("one"))
  }
  expect(await readFile(join(outside, "auth.json"), "utf8")).toContain("of-the-machine")
})

it("is taken out of a home when its account has none any more", async () => {
  await take()
  stored = undefined
  await expect(take()).rejects.toThrow("gone")
  expect(await inHome()).toBeUndefined()
})
