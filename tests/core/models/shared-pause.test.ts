import { ModelError } from "@switchyard/core/models/errors"
import { complete, type ModelProvider } from "@switchyard/core/models/provider"
import { type Retry, withRetries } from "@switchyard/core/models/retrying"
import { createSharedPause } from "@switchyard/core/models/shared-pause"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { textAnswer } from "../../fixtures/scripted-model.ts"
import { createManualClock } from "../log/store.ts"

const FIRST_WORD_MS = 400
const WINDOW_MS = 1000

interface Limited {
  /** Requests that the provider accepts per second. */
  perSecond: number
  /** True if the provider says when to retry. */
  saysWhen?: boolean
  /** Name of a call that the provider always refuses. */
  neverLetsIn?: string
  /** Time until which the provider refuses all calls. */
  refusesUntilMs?: number
}

/** Creates a provider that accepts this many requests per second of its own clock, and calls that share a pause. */
function limitedProvider({ perSecond, saysWhen = true, neverLetsIn, refusesUntilMs = 0 }: Limited) {
  const { clock, wakeNext, sleeping } = createManualClock({ start: 0 })
  const asked: { call: string; at: number; letIn: boolean }[] = []
  const retries: (Retry & { call: string })[] = []
  const limits: number[] = []
  const provider: ModelProvider = {
    name: "limited",
    async *stream({ model }, { signal }) {
      const at = clock.now()
      const window = Math.floor(at / WINDOW_MS)
      const inWindow = asked.filter((one) => one.letIn && Math.floor(one.at / WINDOW_MS) === window).length
      const letIn = inWindow < perSecond && model !== neverLetsIn && at >= refusesUntilMs
      asked.push({ call: model, at, letIn })
      if (!letIn) {
        const retryAfterMs = saysWhen ? (window + 1) * WINDOW_MS - at : undefined
        throw new ModelError("rate_limit", `Slow down, ${model}.`, { retryAfterMs })
      }
      await clock.sleep(FIRST_WORD_MS, { signal })
      const [first, ...others] = textAnswer(`The answer to ${model}.`)
      if (first) yield first
      await clock.sleep(2000, { signal })
      yield* others
    },
  }
  const pause = createSharedPause(clock, () => limits.push(clock.now()))

  function call(name: string, { signal = new AbortController().signal, alone = false } = {}): Promise<string> {
    const retrying = withRetries(provider, {
      ...{ maxAttempts: 5, maxWaitMs: 60_000, random: () => 1 },
      ...(!alone && { pause }),
      sleep: (ms, signal) => clock.sleep(ms, { signal }),
      onRetry: (retry) => void retries.push({ ...retry, call: name }),
    })
    const request = { model: name, system: "", messages: [{ role: "user" as const, content: "Hi" }] }
    const answer = complete(retrying, request, { signal }).then(({ text }) => text)
    return answer.catch((error) => (error instanceof ModelError ? error.message : String(error)))
  }

  /** Advances the time until all calls have ended. */
  async function finish<T>(calls: Promise<T>[]): Promise<T[]> {
    let isOver = false
    const all = Promise.all(calls).finally(() => {
      isOver = true
    })
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      if (isOver) return all
      if (sleeping() > 0) await wakeNext()
    }
  }

  const refused = () => asked.filter(({ letIn }) => !letIn)
  return { clock, call, finish, asked, refused, retries, limits }
}

const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `call ${index}`)

describe("calls that meet a provider's limit together", () => {
  it("wait for the first of them, which asks again when the provider says, and are let in one after the other", async () => {
    const { call, finish, asked, retries, limits } = limitedProvider({ perSecond: 2 })
    const names = namesOf(5)
    expect(await finish(names.map((name) => call(name)))).toEqual(names.map((name) => `The answer to ${name}.`))
    expect(asked.map(({ call, at, letIn }) => [call, at, letIn])).toEqual([
      ["call 0", 0, true],
      ["call 1", 0, true],
      ["call 2", 0, false],
      ["call 3", 0, false],
      ["call 4", 0, false],
      ["call 2", 1000, true],
      ["call 3", 1400, true],
      ["call 4", 1800, false],
      ["call 4", 2000, true],
    ])
    expect(limits).toEqual([0, 1800])
    expect(retries.map(({ call, attempt, waitMs }) => [call, attempt, waitMs])).toEqual([
      ["call 2", 1, 1000],
      ["call 3", 1, 1000],
      ["call 4", 1, 1000],
      ["call 4", 2, 200],
    ])
  })

  it("cost few requests, however many they are and however few are let in, and none of them starves", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (count, perSecond, saysWhen) => {
          const { call, finish, asked, refused, limits } = limitedProvider({ perSecond, saysWhen })
          const names = namesOf(count)
          expect(await finish(names.map((name) => call(name)))).toEqual(names.map((name) => `The answer to ${name}.`))
          // The requests in flight when the limit was reached, and one for each later time.
          const together = Math.max(0, count - perSecond)
          expect(refused().length).toBe(together + Math.max(0, limits.length - 1))
          expect(limits.length).toBeLessThanOrEqual(2 + together)
          const letIn = asked.filter((one) => one.letIn).map((one) => one.call)
          expect(letIn).toEqual(names)
        },
      ),
    )
  })

  it("cost a request of each for each wait where nobody shares the pause", async () => {
    const shared = limitedProvider({ perSecond: 1 })
    await shared.finish(namesOf(5).map((name) => shared.call(name)))
    const alone = limitedProvider({ perSecond: 1 })
    await alone.finish(namesOf(5).map((name) => alone.call(name, { alone: true })))
    expect([shared.refused().length, alone.refused().length]).toEqual([7, 10])
  })

  it("hold back one that comes later, and are side by side again when nobody waits", async () => {
    const { clock, call, finish, asked } = limitedProvider({ perSecond: 1 })
    const first = [call("a"), call("b")]
    const late = clock.sleep(500, {}).then(() => call("late"))
    await finish([...first, late])
    expect(asked.map(({ call, at }) => [call, at])).toEqual([
      ["a", 0],
      ["b", 0],
      ["b", 1000],
      ["late", 1400],
      ["late", 2000],
    ])
    const before = asked.length
    await finish([call("c"), call("d")])
    expect(new Set(asked.slice(before, before + 2).map(({ at }) => at)).size).toBe(1)
  })

  it("pause as long as the longest wait that any of them was told", async () => {
    const { clock, wakeNext } = createManualClock()
    const pause = createSharedPause(clock)
    const [first, second, third] = [pause.newCall(), pause.newCall(), pause.newCall()]
    const { signal } = new AbortController()
    await Promise.all([first, second, third].map((call) => call.enter(signal)))
    expect([first.limited(), second.limited(), third.limited()]).toEqual([1, 0, 0])
    first.pause(1000)
    const entered = first.enter(signal).then(() => clock.monotonic())
    second.pause(3000)
    third.pause(10)
    expect(await wakeNext()).toBe(1000)
    expect(await wakeNext()).toBe(2000)
    expect(await entered).toBe(3000)
  })

  it("go on without one that is refused again and again, and soon give up where all are", async () => {
    const one = limitedProvider({ perSecond: 3, neverLetsIn: "call 0", saysWhen: false })
    const others = await one.finish(namesOf(3).map((name) => one.call(name)))
    expect(others).toEqual(["Slow down, call 0.", "The answer to call 1.", "The answer to call 2."])
    expect(one.refused().length).toBe(5)

    const all = limitedProvider({ perSecond: 0, saysWhen: false })
    expect(await all.finish(namesOf(5).map((name) => all.call(name)))).toEqual(
      namesOf(5).map((name) => `Slow down, ${name}.`),
    )
    // All five together, four retries of the first, and a last try of each of the others.
    expect(all.refused().map(({ call }) => call)).toEqual([
      ...namesOf(5),
      ...["call 0", "call 0", "call 0", "call 0"],
      ...["call 1", "call 2", "call 3", "call 4"],
    ])
  })

  it("start anew after a pause that nobody got through", async () => {
    const { clock, call, finish, refused } = limitedProvider({ perSecond: 9, saysWhen: false, refusesUntilMs: 20_000 })
    await finish([call("a"), call("b")])
    expect(refused().length).toBe(7)
    await finish([clock.sleep(19_900 - clock.now(), {})])
    const answers = await finish([call("c"), call("d")])
    expect(answers).toEqual(["The answer to c.", "The answer to d."])
    expect(refused().length).toBe(9)
  })

  it("pass the turn on when the one that has it is aborted, and leave out one that was", async () => {
    const { call, finish, asked } = limitedProvider({ perSecond: 1 })
    const [gone, leaving] = [new AbortController(), new AbortController()]
    const calls = [call("a"), call("b", { signal: gone.signal }), call("c", { signal: leaving.signal }), call("d")]
    await new Promise((resolve) => setImmediate(resolve))
    leaving.abort(new Error("c is over"))
    await new Promise((resolve) => setImmediate(resolve))
    gone.abort(new Error("b is over"))
    const answers = await finish(calls)
    expect(answers).toEqual(["The answer to a.", "Error: b is over", "Error: c is over", "The answer to d."])
    expect(asked.map(({ call, at }) => [call, at])).toEqual([
      ["a", 0],
      ["b", 0],
      ["c", 0],
      ["d", 0],
      ["d", 1000],
    ])
  })
})
