import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AgentInput } from "@switchyard/core/agents/conversations/schema"
import type { LeftLogin, LoginRequest } from "@switchyard/core/agents/runner/login-schema"
import { createNewId } from "@switchyard/core/ids"
import { inOpenSession } from "@switchyard/core/kernel/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { createAccounts } from "@switchyard/core/people/accounts/accounts"
import { createRunLogins } from "@switchyard/core/people/accounts/run-logins"
import { sessionFold } from "@switchyard/core/state"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import { createRun } from "@switchyard/core/work/runs/admission"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { type Files, ownFiles } from "@switchyard/runner/files/files"
import { returnLeftLogins, takeLogin } from "@switchyard/runner/serving/held-login"
import type { AskLogins } from "@switchyard/runner/serving/host"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { created } from "../../core/kernel/folded.ts"
import { openStores, type Stores } from "../../fixtures/stores.ts"
import { never as signal } from "../../settings.ts"

const options = { signal }

let stores: Stores
let around: string
beforeEach(async () => {
  stores = await openStores()
  around = await mkdtemp(join(tmpdir(), "switchyard-killed-"))
})
afterEach(async () => {
  await stores.close()
  await rm(around, { recursive: true })
})

const tokenOf = (name: string) => `${name}-canary-0123456789abcdef`
const login = (name: string) => ({ "auth.json": JSON.stringify({ tokens: { refresh_token: tokenOf(name) } }) })

class Killed extends Error {}

/**
 * Counts the moments at which a process may be killed, and kills it at moment `at`. Nothing that the process does
 * afterward has an effect.
 */
function createFate(at: number) {
  let passed = 0
  return {
    /** Counts a moment. True if the process is killed at this moment. */
    isMet: () => passed++ === at,
    get isDead() {
      return passed > at
    },
    get passed() {
      return passed
    },
  }
}
type Fate = ReturnType<typeof createFate>

/** Wraps the files of a process that may be killed before each call, and while it creates a file. */
function mortalFiles(fate: Fate): Files {
  const mortal = Object.entries(ownFiles).map(([name, call]) => [
    name,
    async (...given: unknown[]) => {
      if (fate.isDead || fate.isMet()) throw new Killed()
      if (name === "create" && fate.isMet()) {
        const [file, mode, bytes] = given as Parameters<Files["create"]>
        await ownFiles.create(file, mode, bytes.subarray(0, Math.ceil(bytes.length / 2)))
        throw new Killed()
      }
      return (call as (...given: unknown[]) => unknown)(...given)
    },
  ])
  return Object.fromEntries(mortal)
}

/** Wraps the requests of a process that may be killed before each request, and before it receives the answer. */
function mortalAsk(fate: Fate, ask: AskLogins): AskLogins {
  return async (request, options) => {
    if (fate.isDead || fate.isMet()) throw new Killed()
    const answer = await ask(request, options)
    if (fate.isMet()) throw new Killed()
    return answer
  }
}

/** Opens a server with an account that has a login, and two sessions with a run on that account. */
async function openPlace(now = systemClock.now) {
  const log = createLog({ ...stores, clock: systemClock })
  const newId = createNewId()
  const index = createRunIndex(stores.records)
  const accounts = createAccounts({ ...stores, sealer: createSealer(new Uint8Array(32)), newId, clock: systemClock })
  await accounts.create(
    "ada",
    { name: "plan", provider: "codex", login: { files: login("first"), consent: true } },
    options,
  )
  const asked: string[] = []
  const deps = {
    ...stores,
    log,
    newId,
    fold: sessionFold,
    writer: "test",
    index,
    accounts,
    clock: { ...systemClock, now },
  }
  const logins = createRunLogins({ ...deps, recover: (sid) => asked.push(sid) })
  for (const sid of ["one", "two"]) {
    const session = await openSessionLog(deps, sid, options)
    const program = { cli: "codex" as const, account: "plan", model: null, reasoning: null }
    const input = AgentInput.parse({ task: "x", repository: null, terminal: { rows: 24, cols: 80 }, ...program })
    const run = { ...created(), run_id: `run_${sid}`, kind: "agent" as const, input }
    await index.add({ run_id: `run_${sid}`, owner: "ada", sid, session_id: sid, created_at: 1 }, options)
    await session.decide(inOpenSession("s", createRun(run)), options)
  }
  const askOf =
    (sid: string): AskLogins =>
    (request: LoginRequest) =>
      logins.answer({ sid, isTrusted: async () => true }, request, options)
  const home = join(around, `home-${createNewId()("run")}`)
  await mkdir(home)
  return {
    ...{ askOf, home, asked },
    left: async () => (await Array.fromAsync(logins.held(options))).map(({ login }) => login),
    stored: async () => (await accounts.login("ada", "plan", options))?.files,
  }
}
type Place = Awaited<ReturnType<typeof openPlace>>

const uses = (place: Place, sid: string, disk: Files = ownFiles) => ({
  ...{ runId: `run_${sid}`, account: "plan", cli: "codex" as const, home: place.home, disk },
  user: { worktree: "main", repository: "own" as const },
})

/** Returns the contents of all files in the home. */
async function textOf({ home }: Place): Promise<string> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("\n")
}

/**
 * Plays a runner that takes the login, whose program renews it twice, and that returns it. Resolves to the newest
 * version that the program wrote.
 */
async function live(place: Place, fate: Fate): Promise<string> {
  let newest = "first"
  const wakes: (() => void)[] = []
  const clock = {
    ...systemClock,
    sleep: (_ms: number, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise<void>((resolve, reject) => {
        wakes.push(resolve)
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true })
      }),
  }
  const done = new Set<() => void>()
  const ask: AskLogins = async (...given) => {
    try {
      return await mortalAsk(fate, place.askOf("one"))(...given)
    } finally {
      for (const heard of done) heard()
    }
  }
  const deps = { ask, clock, report: () => undefined }
  const held = await takeLogin(deps, uses(place, "one", mortalFiles(fate)), options).catch(() => undefined)
  if (held?.state !== "held" || fate.isDead) return newest
  const renew = async (name: string) => {
    // The program dies with its runner.
    if (fate.isDead || fate.isMet()) return
    await writeFile(join(place.home, ".codex/auth.json"), login(name)["auth.json"])
    newest = name
  }
  await renew("second")
  if (fate.isDead) return newest
  const kept = Promise.withResolvers<void>()
  done.add(kept.resolve)
  wakes.shift()?.()
  // If the runner dies during this look, it asks for nothing.
  await Promise.race([kept.promise, died(fate)])
  await renew("third")
  await held[Symbol.asyncDispose]()
  return newest
}

async function died(fate: Fate): Promise<void> {
  while (!fate.isDead) await new Promise(setImmediate)
}

describe("a runner that is killed while its agent has a login", () => {
  it("loses, doubles and leaves nothing of it, whatever the moment", async () => {
    const unhurt = createFate(Number.POSITIVE_INFINITY)
    const place = await openPlace()
    expect(await live(place, unhurt)).toBe("third")
    expect(await place.stored()).toEqual(login("third"))
    expect(await textOf(place)).not.toContain("canary")
    expect(unhurt.passed).toBeGreaterThan(30)

    for (let at = 0; at < unhurt.passed; at++) {
      await stores.close()
      stores = await openStores()
      const place = await openPlace()
      const newest = await live(place, createFate(at))
      const reported: unknown[] = []
      const report = (error: unknown) => reported.push(error)
      const homeOf = () => ({ home: place.home, disk: ownFiles })
      await returnLeftLogins({ ask: place.askOf("one"), report }, await place.left(), homeOf, options)
      expect(reported, `${at}`).toEqual([])
      expect(await place.stored(), `${at}`).toEqual(login(newest))
      expect(await textOf(place), `${at}`).not.toContain("canary")
      // The login was returned, so the next runner doesn't wait for a lease to end.
      const ask = place.askOf("two")
      const next = await takeLogin({ ask, clock: systemClock, report }, uses(place, "two"), options)
      expect(next.state, `${at}`).toBe("held")
      expect(await textOf(place), `${at}`).toContain(tokenOf(newest))
      if (next.state === "held") await next[Symbol.asyncDispose]()
      expect(place.asked, `${at}`).toEqual([])
    }
  })

  it("is waited for by others until its session has given it back, and no longer than two minutes", async () => {
    let passedMs = 0
    const place = await openPlace(() => Date.now() + passedMs)
    const fate = createFate(Number.POSITIVE_INFINITY)
    const take = (sid: string) => {
      return takeLogin(
        { ask: place.askOf(sid), clock: systemClock, report: () => undefined },
        uses(place, sid),
        options,
      )
    }
    const clock = { ...systemClock, sleep: () => new Promise<void>(() => undefined) }
    const deps = { ask: mortalAsk(fate, place.askOf("one")), clock, report: () => undefined }
    expect(await takeLogin(deps, uses(place, "one"), options)).toMatchObject({ state: "held" })
    expect(await take("two")).toMatchObject({ state: "busy" })
    expect(place.asked).toEqual([])
    passedMs = 61_000
    // Now the holder counts as dead, and the server asks for its session's next runner.
    expect(await take("two")).toMatchObject({ state: "busy" })
    expect(place.asked).toEqual(["one"])
    passedMs = 100_000
    expect(await take("two")).toMatchObject({ state: "busy" })
    passedMs = 122_000
    const taken = await take("two")
    expect(taken.state).toBe("held")

    // The runner that counted as dead leaves the login alone, because another run holds it.
    const reported: unknown[] = []
    const [left] = await place.left()
    expect(left?.run_id).toBe("run_two")
    await returnLeftLogins(
      { ask: place.askOf("one"), report: (error) => reported.push(error) },
      [{ ...(left as LeftLogin), run_id: "run_one", holder: "another" }],
      () => ({ home: place.home, disk: ownFiles }),
      options,
    )
    expect(reported).toEqual([])
    expect(await textOf(place)).toContain(tokenOf("first"))
    if (taken.state === "held") await taken[Symbol.asyncDispose]()
    expect(await textOf(place)).not.toContain("canary")
  })
})
