import { checkPlaces } from "@switchyard/functions/aws/check-places"
import { placeLimits } from "@switchyard/functions/aws/place-rules"
import { createStagePlaces, isQueued, waitingBefore } from "@switchyard/functions/aws/stage-places"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores, type Stores } from "../../fixtures/stores.ts"
import { never } from "../../settings.ts"

const options = { signal: never }

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

/** Returns a stage's slots, with tasks that the test stops and a clock that the test advances. */
function stage(limits: { total: number; perOwner: number }) {
  let now = 1_000_000
  const running = new Set<string>()
  const clock = { now: () => now, sleep: async () => {} }
  const deps = { records: stores.records, clock, limits, random: () => 0 }
  const places = createStagePlaces(deps)
  const needed = new Set<string>()
  return {
    ...{ places, clock, limits },
    /**
     * Requests a slot, one millisecond after the previous request. Resolves to the number of sessions ahead, or to
     * undefined once the session has a slot.
     */
    async take(sid: string, owner: string, at?: number): Promise<number | undefined> {
      needed.add(sid)
      now++
      return (await createStagePlaces(deps).take({ sid, owner, at: at ?? now }, options))?.before
    },
    async begin(sid: string, task: string) {
      running.add(task)
      return places.note(sid, task, options)
    },
    stop: (task: string) => running.delete(task),
    check: () =>
      Array.fromAsync(
        checkPlaces(
          {
            ...{ clock, places, suspends: false },
            runningTasks: async () => running,
            lookAt: async (sid) => ({ task: null, needsRunner: needed.has(sid) }),
            report: (error) => expect.unreachable(String(error)),
          },
          options,
        ),
      ),
    ends: (sid: string) => needed.delete(sid),
    waitingFor: (sid: string) => waitingBefore(deps, sid, options),
    isQueued: (sid: string) => isQueued(deps, sid, options),
    holders: async () => (await places.held(options)).map(({ sid }) => sid).sort(),
    pass: (seconds: number) => (now += seconds * 1000),
  }
}

/** Returns records whose puts to this partition wait until `goesOn` is called. `reached` resolves at the first put. */
function slowToPut(partition: string) {
  const reached = Promise.withResolvers<void>()
  const goesOn = Promise.withResolvers<void>()
  const records: typeof stores.records = {
    ...stores.records,
    async put(key, ...given) {
      if (key.partition === partition) {
        reached.resolve()
        await goesOn.promise
      }
      return stores.records.put(key, ...given)
    },
  }
  return { records, reached: reached.promise, goesOn: () => goesOn.resolve() }
}

describe("the slots for the runners of a stage", () => {
  it("are never more than there may be, whoever asks at once, and the others wait in an order", async () => {
    const { take, holders, waitingFor } = stage({ total: 3, perOwner: Number.POSITIVE_INFINITY })
    const sids = Array.from({ length: 12 }, (_, index) => `s${index}`)
    await Promise.all(sids.map((sid) => take(sid, "ada")))
    const held = await holders()
    expect(held).toHaveLength(3)
    const again = await Promise.all(sids.map((sid) => take(sid, "ada")))
    expect(sids.filter((_, index) => again[index] === undefined).sort()).toEqual(held)
    expect((await Promise.all(sids.map(waitingFor))).filter((before) => before !== undefined).sort()).toEqual([
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8],
    ])
  })

  it("are given in the order of the requests' times, once a task has stopped, and only then", async () => {
    const { take, begin, places, holders } = stage({ total: 1, perOwner: 1 })
    expect(await take("a", "ada")).toBeUndefined()
    await begin("a", "task-a")
    expect([await take("c", "cem", 900_020), await take("b", "bob", 900_010)]).toEqual([0, 0])
    expect(await take("c", "cem", 1)).toBe(1)
    expect(await places.taskStopped("another", options)).toEqual([])
    expect(await places.taskStopped("task-a", options)).toEqual(["b"])
    expect(await places.taskStopped("task-a", options)).toEqual([])
    expect(await holders()).toEqual(["b"])
    expect(await take("b", "bob")).toBeUndefined()
    await begin("b", "task-b")
    expect(await places.release("b", "task-a", options)).toEqual([])
    expect(await places.release("b", "task-b", options)).toEqual(["c"])
  })

  it("aren't taken by one owner alone, who holds up no other", async () => {
    const { take, places } = stage({ total: 3, perOwner: 2 })
    for (const sid of ["a1", "a2"]) expect(await take(sid, "ada")).toBeUndefined()
    expect(await take("a3", "ada")).toBe(0)
    expect(await take("b1", "bob")).toBeUndefined()
    expect(await take("b2", "bob")).toBe(1)
    expect(await places.release("a1", undefined, options)).toEqual(["a3"])
    expect(await places.release("b1", undefined, options)).toEqual(["b2"])
  })

  it("go to the next session if a grant isn't used for a minute, and the first one keeps its turn", async () => {
    const { take, places, check, pass } = stage({ total: 1, perOwner: 1 })
    for (const sid of ["a", "b", "c", "d"]) await take(sid, sid)
    expect(await places.release("a", undefined, options)).toEqual(["b"])
    pass(50)
    expect(await check()).toEqual([])
    pass(11)
    expect(await check()).toEqual(["c"])
    expect(await take("b", "b")).toBe(0)
    expect(await take("d", "d")).toBe(1)
    expect(await take("c", "c")).toBeUndefined()
    pass(61)
    expect(await check()).toEqual([])
  })

  it("are given in order to sessions that have waited for weeks", async () => {
    const { take, begin, places, isQueued, waitingFor, pass } = stage({ total: 1, perOwner: 1 })
    for (const sid of ["a", "b", "c"]) await take(sid, sid)
    await begin("a", "task-a")
    pass(29 * 86_400)
    expect([await isQueued("b"), await waitingFor("c")]).toEqual([true, 1])
    expect([await take("b", "b"), await take("c", "c")]).toEqual([0, 1])
    expect(await places.taskStopped("task-a", options)).toEqual(["b"])
  })

  it("are freed by the check if an event was lost, or a launch was abandoned, and not while ECS may not list a task", async () => {
    const { take, begin, stop, check, pass, ends } = stage({ total: 1, perOwner: 1 })
    for (const sid of ["a", "b", "c"]) await take(sid, sid)
    await begin("a", "task-a")
    stop("task-a")
    expect(await check()).toEqual([])
    pass(15)
    expect(await check()).toEqual(["b"])
    expect(await take("b", "b")).toBeUndefined()
    pass(60)
    expect(await check()).toEqual([])
    ends("b")
    expect(await check()).toEqual(["c"])
  })

  it("are kept by a session whose next task begins, whatever is heard of the last one", async () => {
    const { take, begin, places, stop, check, pass } = stage({ total: 1, perOwner: 1 })
    await take("a", "ada")
    await begin("a", "task-1")
    await take("b", "bob")
    expect(await take("a", "ada")).toBeUndefined()
    stop("task-1")
    pass(20)
    expect(await check()).toEqual([])
    expect(await places.taskStopped("task-1", options)).toEqual([])
    await begin("a", "task-2")
    expect(await places.taskStopped("task-1", options)).toEqual([])
    expect(await places.taskStopped("task-2", options)).toEqual(["b"])
  })

  it("aren't taken from the next session by a function that took long to free them for the last one", async () => {
    const { take, begin, places, holders, clock, limits } = stage({ total: 1, perOwner: 1 })
    await take("a", "ada")
    await begin("a", "task-a")
    await take("b", "bob")
    const { records, reached, goesOn } = slowToPut("runner-slots")
    // The event that the task stopped arrives twice.
    const late = createStagePlaces({ records, clock, limits }).taskStopped("task-a", options)
    await reached
    expect(await places.taskStopped("task-a", options)).toEqual(["b"])
    expect(await take("b", "bob")).toBeUndefined()
    expect(await take("c", "cem")).toBe(0)
    goesOn()
    expect(await late).toEqual([])
    expect(await holders()).toEqual(["b"])
  })

  it("are one for a session that takes a slot while it is given another", async () => {
    const { take, begin, places, holders, clock, limits } = stage({ total: 2, perOwner: 2 })
    await take("a", "ada")
    await begin("a", "task-a")
    const { records, reached, goesOn } = slowToPut("runner-slots")
    const taking = createStagePlaces({ records, clock, limits }).take({ sid: "b", owner: "bob", at: 1 }, options)
    await reached
    expect(await places.taskStopped("task-a", options)).toEqual(["b"])
    goesOn()
    expect(await taking).toBeUndefined()
    expect(await holders()).toEqual(["b"])
  })

  it("are no more than an owner's share where two functions take different ones for it at once", async () => {
    const { take, places, holders, clock, limits, pass } = stage({ total: 2, perOwner: 1 })
    for (const owner of ["bob", "cem", "dan"]) await take(owner, owner)
    expect(await places.release("bob", undefined, options)).toEqual(["dan"])
    expect(await places.release("cem", undefined, options)).toEqual([])
    pass(31)
    const { records, reached, goesOn } = slowToPut("runner-slots")
    const taking = createStagePlaces({ records, clock, limits }).take({ sid: "later", owner: "ada", at: 9 }, options)
    await reached
    // Meanwhile, the slot granted to dan expires.
    pass(30)
    expect(await take("earlier", "ada", 1)).toBe(0)
    goesOn()
    expect(await taking).toBeUndefined()
    expect(await holders()).toEqual(["later"])
  })

  it("are given to the first of those who wait, also if the function that freed one died before it gave it away", async () => {
    const { take, begin, places, pass, clock, limits } = stage({ total: 3, perOwner: 3 })
    for (const sid of ["a", "b", "c", "d", "e", "f"]) await take(sid, sid)
    for (const sid of ["a", "b", "c"]) await begin(sid, `task-${sid}`)
    let puts = 0
    const records: typeof stores.records = {
      ...stores.records,
      async put(...given) {
        if (++puts > 1) throw new Error("It died.")
        return stores.records.put(...given)
      },
    }
    await expect(createStagePlaces({ records, clock, limits }).taskStopped("task-a", options)).rejects.toThrow("died")
    // For five seconds, the function that freed a's slot may still grant it to d, so b's slot goes to e.
    expect(await places.taskStopped("task-b", options)).toEqual(["e"])
    pass(5)
    expect(await places.taskStopped("task-c", options)).toEqual(["d", "f"])
  })

  it("leave no session in the queue that is launched twice", async () => {
    const { take, waitingFor, clock, limits } = stage({ total: 1, perOwner: 1 })
    expect(await take("a", "ada", 1)).toBeUndefined()
    const { records, reached, goesOn } = slowToPut("runner-queue")
    const second = createStagePlaces({ records, clock, limits }).take({ sid: "a", owner: "ada", at: 1 }, options)
    await reached
    expect(await take("a", "ada", 1)).toBeUndefined()
    goesOn()
    expect(await second).toBeUndefined()
    expect(await take("b", "bob")).toBe(0)
    expect(await waitingFor("b")).toBe(0)
  })

  it("are given to no session that has left the queue, and the check removes those that need no runner", async () => {
    const { take, places, ends, check, waitingFor, isQueued } = stage({ total: 1, perOwner: 1 })
    for (const sid of ["a", "b", "c", "d"]) await take(sid, sid)
    expect([await isQueued("a"), await isQueued("b"), await isQueued("e")]).toEqual([false, true, false])
    await places.leaveQueue("b", options)
    expect(await waitingFor("d")).toBe(1)
    ends("c")
    await check()
    expect([await waitingFor("c"), await waitingFor("d")]).toEqual([undefined, 0])
    expect(await places.release("a", undefined, options)).toEqual(["d"])
  })

  it("are asked for by the first who waits, once each, of those whose going would make room", async () => {
    const { places, take, begin } = stage({ total: 3, perOwner: 2 })
    const told: string[] = []
    const ask = async (sid: string, owner: string) => {
      const queued = await places.take({ sid, owner, at: 1_000_100 + told.length }, options)
      await places.askToYield(queued?.inTheWay ?? [], async ({ task }) => void told.push(task), options)
      return told.splice(0)
    }
    for (const [sid, owner] of [
      ["a1", "ada"],
      ["a2", "ada"],
      ["b1", "bob"],
    ] as const)
      await take(sid, owner)
    for (const sid of ["a1", "a2"]) expect(await begin(sid, `task-${sid}`)).toBe(false)
    expect(await ask("a3", "ada")).toEqual(["task-a1", "task-a2"])
    expect(await ask("a3", "ada")).toEqual([])
    // b1's task isn't recorded yet. Once it is, c1 asks b1 to yield. a3 doesn't, because its owner is at the limit.
    expect(await begin("b1", "task-b1")).toBe(false)
    expect(await ask("c1", "cem")).toEqual(["task-b1"])
    expect(await ask("d1", "dan")).toEqual([])
    expect(await begin("b1", "task-b2")).toBe(true)
  })

  it("are asked for again where the asking failed", async () => {
    const { places, take, begin } = stage({ total: 1, perOwner: 1 })
    await take("a", "ada")
    await begin("a", "task-a")
    const told: string[] = []
    for (const ask of [() => Promise.reject(new Error("Cut off.")), async () => void told.push("asked")]) {
      const queued = await places.take({ sid: "b", owner: "bob", at: 1 }, options)
      await places.askToYield(queued?.inTheWay ?? [], ask, options).catch(() => {})
    }
    expect(told).toEqual(["asked"])
  })

  it("aren't counted where there is no limit, and in use beyond one that was lowered", async () => {
    const unlimited = stage(placeLimits({ total: 0, perOwner: 0 }))
    const sids = Array.from({ length: 200 }, (_, index) => `s${index}`)
    for (const sid of sids) expect(await unlimited.take(sid, "ada")).toBeUndefined()
    await stores.close()
    stores = await openStores()
    const before = stage({ total: 4, perOwner: 4 })
    for (const sid of ["a", "b", "c", "d"]) await before.take(sid, sid)
    const lowered = stage({ total: 2, perOwner: 2 })
    expect(await lowered.take("e", "e")).toBe(0)
    for (const sid of ["a", "b"]) expect(await lowered.places.release(sid, undefined, options)).toEqual([])
    expect(await lowered.places.release("d", undefined, options)).toEqual(["e"])
    expect(await lowered.holders()).toEqual(["c", "e"])
  })
})
