import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { LoginInput, LoginRequest } from "@switchyard/core/agents/runner/login-schema"
import type { NewEvent } from "@switchyard/core/events"
import { systemClock } from "@switchyard/core/time"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { ownFiles } from "@switchyard/runner/files/files"
import { createLoginRun } from "@switchyard/runner/serving/login-run"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openWorkshop, processesWith, type Workshop } from "../agents/workshop.ts"

const LIMIT_MS = 15 * 60_000
/** Writes a login at once, and then runs `then`. */
const codex = (then: string) => `#!/bin/sh
printf '{"tokens":{"refresh_token":"rt-0123456789abcdef0123"}}' > "$CODEX_HOME/auth.json"
${then}
`

/** A clock with real short sleeps. Tests end its long sleeps with `waits`. */
function createPatientClock() {
  const waits: { ms: number; end: () => void }[] = []
  const sleep = (ms: number, { signal }: { signal?: AbortSignal }) => {
    if (ms < LIMIT_MS) return systemClock.sleep(ms, { ...(signal && { signal }) })
    return new Promise<void>((end, fail) => {
      waits.push({ ms, end })
      signal?.addEventListener("abort", () => fail(signal.reason), { once: true })
    })
  }
  return { clock: { ...systemClock, sleep }, waits }
}

let shop: Workshop
const { clock, waits } = createPatientClock()
beforeEach(async () => {
  waits.length = 0
  shop = await openWorkshop({ clock })
})
afterEach(() => shop[Symbol.asyncDispose]())

/** Begins a login with this program. */
async function begin(program: string, ask: (request: LoginRequest) => void = () => undefined) {
  const { deps, folder, attachments } = shop
  const [bin, home] = [join(folder, "bin"), join(folder, "homes/login/s")]
  await mkdir(bin, { recursive: true })
  await writeFile(join(bin, "codex"), program, { mode: 0o755 })
  const stop = new AbortController()
  const record = (events: NewEvent[]) => deps.append(events)
  const work = createLoginRun({
    ...{ ...deps, attachments, programs: [bin], hasBrowser: true, place: { home, disk: ownFiles, user: undefined } },
    confinement: { confine: (_place, program) => program },
    install: { folder: join(folder, "programs"), clock, host: {} },
    ask: async (request) => {
      ask(request)
      return { state: "given" }
    },
  })
  const context = {
    ...{ sid: "s", runId: "run_1", signal: stop.signal, input: { account: "mine", agent: "codex" }, record },
    async *history() {},
    awaitExternal: <T>(task: () => Promise<T>) => task(),
  } as unknown as RunContext<LoginInput>
  const ended = work(context).then(
    () => "given",
    (error: Error) => error.message,
  )
  return { home, ended, stop: (reason: Error) => stop.abort(reason), written: () => readdir(join(home, ".codex")) }
}

describe("a login in a terminal", () => {
  it("gives what the program has made, and leaves no home", async () => {
    const asked: LoginRequest[] = []
    const { ended, home } = await begin(codex("exit 0"), (request) => asked.push(request))
    expect(await ended).toBe("given")
    expect(asked).toMatchObject([{ act: "give", account: "mine", files: { "auth.json": expect.any(String) } }])
    expect(await ownFiles.lstat(home)).toBeUndefined()
  })

  it("ends after 15 minutes with nothing given, no home and no program left", async () => {
    const asked: LoginRequest[] = []
    const { ended, home, written } = await begin(codex("read code"), (request) => asked.push(request))
    await expect.poll(() => written().catch(() => [])).toContain("auth.json")
    expect(waits.map(({ ms }) => ms)).toEqual([LIMIT_MS])
    waits[0]?.end()
    expect(await ended).toBe("The login took more than 15 minutes.")
    expect(asked).toEqual([])
    expect(await ownFiles.lstat(home)).toBeUndefined()
    expect(await processesWith(`HOME=${home}`)).toEqual([])
  })

  it("ends with its runner, with nothing given, no home and no program left", async () => {
    const asked: LoginRequest[] = []
    const { ended, home, written, stop } = await begin(codex("read code"), (request) => asked.push(request))
    await expect.poll(() => written().catch(() => [])).toContain("auth.json")
    stop(new Error("The runner was asked to stop."))
    expect(await ended).toBe("The runner was asked to stop.")
    expect(asked).toEqual([])
    expect(await ownFiles.lstat(home)).toBeUndefined()
    expect(await processesWith(`HOME=${home}`)).toEqual([])
  })
})
