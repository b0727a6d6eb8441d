import { createStagePlaces, waitingBefore } from "@switchyard/functions/aws/stage-places"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores, type Stores } from "../../fixtures/stores.ts"
import { never } from "../../settings.ts"

const options = { signal: never }

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

/** Places of a stage, as each of its workers sees them, with tasks that can be stopped and time that can pass. */
function stage(limits: { total: number; perOwner: number }) {
  let now = 1_000_000
  const gone = new Set<string>()
  const clock = { now: () => now, monotonic: () => now, sleep: async () => {} }
  const worker = () =>
    createStagePlaces({
      ...{ records: stores.records, clock, limits },
      stopped: async (tasks) => tasks.filter((task) => gone.has(task)),
    })
  const waitingFor = (sid: string) => waitingBefore({ records: stores.records, clock }, sid, options)
  return {
    worker,
    waitingFor,
    stop: (task: string) => gone.add(task),
    pass: (minutes: number) => (now += minutes * 60_000),
  }
}

describe("the places for the runners of a stage", () => {
  it("are never more than there may be, whoever asks at once, and the others wait in an order", async () => {
    const { worker } = stage({ total: 3, perOwner: Number.POSITIVE_INFINITY })
    const sids = Array.from({ length: 12 }, (_, index) => `s${index}`)
    const before = await Promise.all(sids.map((sid) => worker().take(sid, "ada", options)))
    expect(before.filter((place) => place === undefined)).toHaveLength(3)
    const again = await Promise.all(sids.map((sid) => worker().take(sid, "ada", options)))
    expect(again.map((place) => place === undefined)).toEqual(before.map((place) => place === undefined))
    expect(again.filter((place) => place !== undefined).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  it("are given in the order in which sessions asked, once a task has stopped", async () => {
    const { worker, stop } = stage({ total: 1, perOwner: 1 })
    const places = worker()
    expect(await places.take("a", "ada", options)).toBeUndefined()
    await places.note("a", "task-a", options)
    expect([await places.take("b", "bob", options), await places.take("c", "cem", options)]).toEqual([0, 1])
    stop("task-a")
    expect(await worker().take("c", "cem", options)).toBe(1)
    expect(await worker().take("b", "bob", options)).toBeUndefined()
    expect(await worker().take("c", "cem", options)).toBe(0)
    await worker().release("b", undefined, options)
    expect(await worker().take("c", "cem", options)).toBeUndefined()
  })

  it("are kept where a worker gives up a turn for a session that another worker has got one for", async () => {
    const { worker, stop } = stage({ total: 1, perOwner: 1 })
    await worker().take("a", "ada", options)
    await worker().note("a", "task-a", options)
    const [one, other] = [worker(), worker()]
    expect([await one.take("b", "bob", options), await other.take("b", "bob", options)]).toEqual([0, 0])
    stop("task-a")
    expect(await other.take("b", "bob", options)).toBeUndefined()
    // Its task isn't noted yet, and then it is.
    await one.leaveQueue("b", options)
    expect(await worker().take("c", "cem", options)).toBe(0)
    await other.note("b", "task-b", options)
    await one.leaveQueue("b", options)
    await one.release("b", "task-a", options)
    expect(await worker().take("c", "cem", options)).toBe(0)
    await other.release("b", "task-b", options)
    expect(await worker().take("c", "cem", options)).toBeUndefined()
  })

  it("leave a turn in the queue to those who come after", async () => {
    const { worker } = stage({ total: 1, perOwner: 1 })
    await worker().take("a", "ada", options)
    expect([await worker().take("b", "bob", options), await worker().take("c", "cem", options)]).toEqual([0, 1])
    await worker().leaveQueue("b", options)
    expect(await worker().take("c", "cem", options)).toBe(0)
  })

  it("aren't taken by one owner alone, who holds up no other", async () => {
    const { worker } = stage({ total: 3, perOwner: 2 })
    const places = worker()
    for (const sid of ["a1", "a2"]) expect(await places.take(sid, "ada", options)).toBeUndefined()
    expect(await places.take("a3", "ada", options)).toBe(0)
    expect(await places.take("b1", "bob", options)).toBeUndefined()
    expect(await places.take("b2", "bob", options)).toBe(1)
    await places.release("a1", undefined, options)
    expect(await places.take("b2", "bob", options)).toBe(1)
    expect(await places.take("a3", "ada", options)).toBeUndefined()
  })

  it("aren't kept for a worker that died before it began a task, nor a turn for a session that asks no more", async () => {
    const { worker, pass } = stage({ total: 1, perOwner: 1 })
    const places = worker()
    expect(await places.take("a", "ada", options)).toBeUndefined()
    expect(await places.take("b", "bob", options)).toBe(0)
    pass(5)
    expect(await places.take("c", "cem", options)).toBe(1)
    pass(5)
    expect(await places.take("c", "cem", options)).toBe(0)
    pass(6)
    expect(await places.take("c", "cem", options)).toBeUndefined()
  })

  it("are kept by a task that runs, although a worker that was to begin the next one died, or gave up", async () => {
    const { worker, pass, stop } = stage({ total: 1, perOwner: 1 })
    const places = worker()
    await places.take("a", "ada", options)
    await places.note("a", "task-a", options)
    expect(await worker().take("a", "ada", options)).toBeUndefined()
    pass(16)
    expect(await places.take("b", "bob", options)).toBe(0)
    await worker().release("a", undefined, options)
    expect(await places.take("b", "bob", options)).toBe(0)
    stop("task-a")
    expect(await places.take("b", "bob", options)).toBeUndefined()
  })

  it("are counted for whoever waits, without asking for one, and without those that have stopped asking", async () => {
    const { worker, waitingFor, pass } = stage({ total: 1, perOwner: 1 })
    const places = worker()
    expect(await waitingFor("a")).toBeUndefined()
    for (const sid of ["a", "b"]) await places.take(sid, "ada", options)
    pass(5)
    await places.take("c", "cem", options)
    expect([await waitingFor("a"), await waitingFor("b"), await waitingFor("c"), await waitingFor("d")]).toEqual([
      undefined,
      0,
      1,
      undefined,
    ])
    pass(5)
    expect([await waitingFor("b"), await waitingFor("c")]).toEqual([undefined, 0])
  })

  it("are asked for once, whoever waits, of those whose going would make room", async () => {
    const { worker } = stage({ total: 3, perOwner: 2 })
    const places = worker()
    for (const [sid, owner] of [
      ["a1", "ada"],
      ["a2", "ada"],
      ["b1", "bob"],
    ] as const) {
      await places.take(sid, owner, options)
      if (sid !== "b1") await places.note(sid, `task-${sid}`, options)
    }
    const asked: string[] = []
    const ask = (sid: string) =>
      worker().askToYield(sid, async ({ sid, task }) => void asked.push(`${sid} ${task}`), options)
    await places.take("a3", "ada", options)
    await ask("a3")
    expect(asked.splice(0)).toEqual(["a1 task-a1", "a2 task-a2"])
    await places.take("c1", "cem", options)
    await ask("c1")
    await ask("a3")
    expect(asked).toEqual([])
    await places.note("b1", "task-b1", options)
    await ask("a3")
    expect(asked).toEqual([])
    await ask("c1")
    await places.note("a1", "task-new", options)
    await ask("c1")
    expect(asked).toEqual(["b1 task-b1", "a1 task-new"])
  })

  it("are asked for again where the asking failed", async () => {
    const { worker } = stage({ total: 1, perOwner: 1 })
    await worker().take("a", "ada", options)
    await worker().note("a", "task-a", options)
    await worker().take("b", "bob", options)
    const fail = () => Promise.reject(new Error("Cut off."))
    await expect(worker().askToYield("b", fail, options)).rejects.toThrow("Cut off.")
    const asked: string[] = []
    await worker().askToYield("b", async ({ task }) => void asked.push(task), options)
    expect(asked).toEqual(["task-a"])
  })
})
