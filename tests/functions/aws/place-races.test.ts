import type { Records } from "@switchyard/core/storage/records"
import { createStagePlaces } from "@switchyard/functions/aws/stage-places"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores, type Stores } from "../../fixtures/stores.ts"
import { never } from "../../settings.ts"

const options = { signal: never }
const SLOTS = "runner-slots"

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

/** Returns the stage's slots as one function sees them. `changes` replaces methods of its records. */
function open(changes: Partial<Records> = {}, total = 1) {
  return createStagePlaces({
    records: { ...stores.records, ...changes },
    clock: { now: () => 1_000_000, sleep: async () => {} },
    limits: { total, perOwner: total },
  })
}

const take = (places: ReturnType<typeof open>, sid: string) => places.take({ sid, owner: sid, at: 1 }, options)
const holders = async () => (await open().held(options)).map(({ sid, task }) => [sid, task])
const waiting = async () => (await Array.fromAsync(open().waiting(options))).map(({ sid }) => sid)

describe("a session that asks for a slot", () => {
  it("gets it after 99 failed attempts", async () => {
    expect(await take(open({ put: losing(99) }), "a")).toBeUndefined()
    expect([await holders(), await waiting()]).toEqual([[["a", null]], []])
  })

  it("stays in the queue and gets an error after 100 failed attempts", async () => {
    await expect(take(open({ put: losing(100) }), "a")).rejects.toMatchObject({ code: "storage_unavailable" })
    expect([await holders(), await waiting()]).toEqual([[], ["a"]])
  })

  it("gets an error if its own slot keeps disappearing", async () => {
    await take(open(), "a")
    let reads = 0
    const places = open({
      range(partition, ...given) {
        const isGone = partition === SLOTS && ++reads % 2 === 0
        if (reads > 1000) throw new Error("It never ends.")
        return stores.records.range(isGone ? "none" : partition, ...given)
      },
    })
    await expect(take(places, "a")).rejects.toMatchObject({ code: "storage_unavailable" })
  })
})

describe("a session that gets the second of two slots given to another session at once", () => {
  it("is reported, even if the other session's request then fails", async () => {
    await take(open({}, 2), "a")
    await open({}, 2).note("a", "task-a", options)
    let puts = 0
    let isAsked = false
    const places = open(
      {
        async put(key, ...given) {
          if (key.partition !== SLOTS) return stores.records.put(key, ...given)
          puts++
          // Before b takes a free slot, it is granted a's slot, too. It then gives the extra slot to c.
          if (puts === 1) expect(await open({}, 2).taskStopped("task-a", options)).toEqual(["b"])
          if (puts === 4) throw new Error("The table is gone.")
          return stores.records.put(key, ...given)
        },
        async remove(key, ...given) {
          if (key.partition === "runner-queue" && !isAsked) {
            isAsked = true
            expect(await take(open({}, 2), "c")).toMatchObject({ before: 0 })
          }
          return stores.records.remove(key, ...given)
        },
      },
      2,
    )
    const granted: string[] = []
    const onGranted = (sid: string) => granted.push(sid)
    const taking = places.take({ sid: "b", owner: "b", at: 1 }, { onGranted, ...options })
    await expect(taking).rejects.toThrow("The table is gone.")
    expect([granted, await waiting()]).toEqual([["c"], []])
  })
})

describe("the slot of a task that has stopped", () => {
  it("is kept, without the task, if the session's next task begins in the middle of the change", async () => {
    await take(open(), "a")
    await open().note("a", "task-1", options)
    let reads = 0
    const places = open({
      async *range(partition, ...given) {
        const read = await Array.fromAsync(stores.records.range(partition, ...given))
        if (partition === SLOTS && ++reads === 1) await take(open(), "a")
        yield* read
      },
    })
    expect(await places.taskStopped("task-1", options)).toEqual([])
    expect(await holders()).toEqual([["a", null]])
  })
})

describe("a task that was suspended", () => {
  it("is listed even if the session's earlier entry is removed at the same moment", async () => {
    await take(open(), "a")
    await open().note("a", "task-1", { parks: true, ...options })
    await open().noteSuspended({ sid: "a", task: "task-1" }, options)
    await take(open(), "a")
    await open().note("a", "task-2", { parks: false, ...options })
    const places = open({
      async put(key, ...given) {
        if (key.partition === "runner-suspended") await open().forget(["task-1"], options)
        return stores.records.put(key, ...given)
      },
    })
    await places.noteSuspended({ sid: "a", task: "task-2" }, options)
    expect((await places.parking(options)).suspended).toEqual([{ sid: "a", task: "task-2" }])
  })
})

/** Returns a put that fails this many times for a slot, as if another function had been faster. */
function losing(times: number): Records["put"] {
  return async (key, ...given) =>
    key.partition === SLOTS && times-- > 0 ? undefined : stores.records.put(key, ...given)
}
