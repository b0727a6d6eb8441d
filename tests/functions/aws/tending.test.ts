import { systemClock } from "@switchyard/core/time"
import { createTasks } from "@switchyard/functions/aws/ecs"
import { SUSPENDS_TASKS } from "@switchyard/functions/aws/ecs-target"
import { createStagePlaces } from "@switchyard/functions/aws/stage-places"
import { isTendingDue } from "@switchyard/functions/aws/tending"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores, type Stores } from "../../fixtures/stores.ts"
import { PLACE } from "../../rehearsal/ecs.ts"
import { never } from "../../settings.ts"

const options = { signal: never }

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

describe("the sweep's question about runners", () => {
  it("reads the places of the stage only where tasks can be suspended", async () => {
    const deps = { ...stores, clock: systemClock }
    const limits = { total: 1, perOwner: 1 }
    const places = createStagePlaces({ ...deps, limits })
    await places.take({ sid: "one", owner: "anna", at: 1 }, options)
    await places.note("one", "task-1", { parks: true, ...options })
    const read: string[] = []
    const records: typeof stores.records = {
      ...stores.records,
      range(partition, given) {
        read.push(partition)
        return stores.records.range(partition, given)
      },
    }
    const ask = (suspends: boolean) => isTendingDue({ ...deps, records }, { warmRunners: 0, suspends }, options)
    expect(await ask(false)).toBe(false)
    expect(read).not.toContain("runner-slots")
    expect(await ask(true)).toBe(true)
    expect(read).toContain("runner-slots")
  })

  it("knows what the driver can do", () => {
    const { suspend, resume } = createTasks(PLACE)
    expect([suspend !== undefined, resume !== undefined]).toEqual([SUSPENDS_TASKS, SUSPENDS_TASKS])
  })
})
