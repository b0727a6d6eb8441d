import { describe, expect, it } from "vitest"
import {
  type OfflineReason,
  type ProbeDeps,
  type ServerStatus,
  watchServer,
} from "../../../../packages/web/src/features/access/probe.ts"

/** Behavior of a server at one request: it answers or fails after some seconds, or never answers. */
type Plan = { answersAfterS: number } | { failsAfterS: number; why: OfflineReason } | "silent"

/** Creates a clock that advances only when everything waits for it, and a server that follows a plan. */
function createWorld(plan: Plan[]) {
  let now = 0
  const asked: { url: string; at: number; endedAt?: number }[] = []
  const waiting: { at: number; resolve: () => void }[] = []
  const after = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal.aborted) return resolve()
      const entry = { at: now + ms, resolve }
      waiting.push(entry)
      signal.addEventListener("abort", () => {
        waiting.splice(waiting.indexOf(entry), 1)
        resolve()
      })
    })

  const deps: ProbeDeps = {
    now: () => now,
    pause: (ms, { signal }) => after(ms, signal),
    ask: async (url, { signal }) => {
      const step = plan[asked.length] ?? "silent"
      const question: (typeof asked)[number] = { url, at: now }
      asked.push(question)
      signal.addEventListener("abort", () => {
        question.endedAt = now
      })
      if (step === "silent") return new Promise(() => {})
      await after(1000 * ("failsAfterS" in step ? step.failsAfterS : step.answersAfterS), signal)
      if ("failsAfterS" in step) throw new TypeError("Failed to fetch")
      return "anything"
    },
    whyNot: async () => {
      const step = plan[asked.length - 1]
      return typeof step === "object" && "why" in step ? step.why : "unreachable"
    },
  }

  /** Returns each status that was reported within this many seconds, with its second. */
  async function watch(base: string | null, seconds: number): Promise<[number, ServerStatus][]> {
    const controller = new AbortController()
    const said: [number, ServerStatus][] = []
    const watching = (async () => {
      for await (const reach of watchServer(base, deps, { signal: controller.signal })) said.push([now / 1000, reach])
    })()
    for (;;) {
      // Runs everything that needs no time to pass.
      await new Promise(setImmediate)
      const next = waiting.toSorted((a, b) => a.at - b.at)[0]
      if (!next || next.at > seconds * 1000) break
      waiting.splice(waiting.indexOf(next), 1)
      now = next.at
      next.resolve()
    }
    controller.abort()
    await watching
    return said
  }
  return { watch, asked }
}

const online: ServerStatus = { state: "online" }
const checking: ServerStatus = { state: "checking" }
const waking: ServerStatus = { state: "waking" }
const offline = (why: OfflineReason): ServerStatus => ({ state: "offline", why })

describe("watching a server", () => {
  it("asks nobody where no server is named", async () => {
    const { watch, asked } = createWorld([])
    expect(await watch(null, 60)).toEqual([[0, { state: "unconfigured" }]])
    expect(asked).toEqual([])
  })

  it("says that it is there, and looks again two minutes later without a word", async () => {
    const { watch, asked } = createWorld([{ answersAfterS: 1 }, { answersAfterS: 8 }])
    expect(await watch("", 130)).toEqual([
      [0, checking],
      [1, online],
      [129, online],
    ])
    expect(asked.map(({ at }) => at / 1000)).toEqual([0, 121])
  })

  it("says after 6 s that it may be waking up, and after 20 s that it isn't there", async () => {
    const { watch, asked } = createWorld(["silent"])
    expect(await watch("", 34)).toEqual([
      [0, checking],
      [6, waking],
      [20, offline("timeout")],
    ])
    expect(asked).toEqual([{ url: "/health?at=0", at: 0, endedAt: 20_000 }])
  })

  it("takes a late answer for an answer", async () => {
    const { watch } = createWorld([{ answersAfterS: 19 }])
    expect(await watch("", 30)).toEqual([
      [0, checking],
      [6, waking],
      [19, online],
    ])
  })

  it("asks again 15 s after it wasn't there, until it is", async () => {
    const { watch, asked } = createWorld([
      { failsAfterS: 1, why: "closed" },
      { failsAfterS: 0, why: "unreachable" },
      { answersAfterS: 2 },
    ])
    expect(await watch("", 60)).toEqual([
      [0, checking],
      [1, offline("closed")],
      [16, checking],
      [16, offline("unreachable")],
      [31, checking],
      [33, online],
    ])
    expect(asked).toHaveLength(3)
  })

  it("asks in a way that no browser has to ask leave for, and no cache can answer", async () => {
    const { watch, asked } = createWorld([{ failsAfterS: 0, why: "unreachable" }])
    await watch("https://api.example/base", 16)
    expect(asked.map(({ url }) => url)).toEqual([
      "https://api.example/base/health?at=0",
      "https://api.example/base/health?at=15000",
    ])
  })

  it("stops asking when nobody watches any more", async () => {
    const { watch, asked } = createWorld(["silent"])
    await watch("", 3)
    expect(asked[0]?.endedAt).toBe(0)
  })
})
