import type { Records } from "@switchyard/core/storage/records"
import { checkPlaces } from "@switchyard/functions/aws/check-places"
import { createStagePlaces } from "@switchyard/functions/aws/stage-places"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores, type Stores } from "../../fixtures/stores.ts"
import { never } from "../../settings.ts"

const options = { signal: never }

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

/**
 * Opens a stage with this many slots. `needs` contains what each session's log says. Other sessions' logs are damaged.
 */
function stage(total: number, changes: Partial<Records> = {}) {
  let now = 1_000_000
  const clock = { now: () => now, sleep: async () => {} }
  const open = (records: Records) => createStagePlaces({ records, clock, limits: { total, perOwner: total } })
  const places = open({ ...stores.records, ...changes })
  const needs = new Map<string, { task: string | null; needsRunner: boolean }>()
  const over = new AbortController()
  const reports: string[] = []
  return {
    ...{ places, needs, over, reports, open },
    take: (sid: string) => places.take({ sid, owner: "ada", at: ++now }, options),
    waiting: async () => (await Array.fromAsync(places.waiting(options))).map(({ sid }) => sid),
    pass: (seconds: number) => (now += seconds * 1000),
    check: (running: string[] = []) => Array.fromAsync(checks(running)),
    checks,
  }

  function checks(running: string[] = []) {
    return checkPlaces(
      {
        ...{ clock, places, suspends: true, runningTasks: async () => new Set(running) },
        async lookAt(sid) {
          if (sid === "slow") over.abort(new Error("The time is over."))
          over.signal.throwIfAborted()
          return needs.get(sid) ?? Promise.reject(new Error(`The log of ${sid} is damaged.`))
        },
        report: (error) => void reports.push((error as Error).message),
      },
      over,
    )
  }
}

describe("the check of a stage's slots", () => {
  it("continues with the other sessions if one can't be read", async () => {
    const { take, check, pass, needs, reports, waiting } = stage(2)
    for (const sid of ["a", "b", "c", "d", "e"]) await take(sid)
    for (const sid of ["b", "e"]) needs.set(sid, { task: null, needsRunner: false })
    pass(15)
    expect(await check()).toEqual(["c"])
    expect(reports).toEqual(["The log of a is damaged.", "The log of d is damaged."])
    expect(await waiting()).toEqual(["d"])
  })

  it("yields the session that got a slot even if the next grant fails", async () => {
    let isGone = false
    const { take, check, checks, pass, needs, places } = stage(2, {
      put(key, value, ...given) {
        if (isGone && JSON.stringify(value).includes('"f"')) throw new Error("The table is gone.")
        return stores.records.put(key, value, ...given)
      },
    })
    for (const sid of ["a", "b", "c", "d", "e", "f"]) await take(sid)
    for (const sid of ["c", "d", "e", "f"]) needs.set(sid, { task: null, needsRunner: true })
    for (const sid of ["a", "b"]) await places.note(sid, `task-${sid}`, options)
    pass(15)
    expect(await check()).toEqual(["c", "d"])
    // Nothing launches them, so e and f get their slots.
    pass(61)
    isGone = true
    const granted: string[] = []
    const checked = (async () => {
      for await (const sid of checks()) granted.push(sid)
    })()
    await expect(checked).rejects.toThrow("The table is gone.")
    expect(granted).toEqual(["e"])
  })

  it("removes a session from the queue even if its request was forgotten", async () => {
    const { open, take, check, needs, waiting } = stage(1)
    // Two launches request the slot. The first gets the slot before the second joins the queue, and the second dies
    // there.
    const dying = open({
      ...stores.records,
      async put(key, ...given) {
        if (key.partition === "runner-queue") await take("a")
        return stores.records.put(key, ...given)
      },
      range: () => {
        throw new Error("It died.")
      },
    })
    await expect(dying.take({ sid: "a", owner: "ada", at: 1 }, options)).rejects.toThrow("It died.")
    expect(await waiting()).toEqual(["a"])
    needs.set("a", { task: null, needsRunner: false })
    await check()
    expect(await waiting()).toEqual([])
  })

  it("ends if its time is over", async () => {
    const { take, check, pass, reports } = stage(1)
    await take("slow")
    pass(15)
    await expect(check()).rejects.toThrow("The time is over.")
    expect(reports).toEqual([])
  })

  it("records that a task can be suspended if its launch died before it recorded the task", async () => {
    const { places, take, check, pass, needs } = stage(1)
    await take("a")
    needs.set("a", { task: "task-1", needsRunner: false })
    pass(15)
    await check(["task-1"])
    expect((await places.parking(options)).running).toEqual([{ sid: "a", task: "task-1" }])
  })
})
