import { createNewId } from "@switchyard/core/ids"
import { logName } from "@switchyard/core/kernel/keys"
import { inOpenSession } from "@switchyard/core/kernel/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { batchSort } from "@switchyard/core/log/batch"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { systemClock as clock } from "@switchyard/core/time"
import { createRun } from "@switchyard/core/work/runs/admission"
import { followGrants } from "@switchyard/functions/aws/follow-grants"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { created } from "../../core/kernel/folded.ts"
import { openStores, type Stores } from "../../fixtures/stores.ts"
import { never } from "../../settings.ts"

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

const options = { signal: never }

/** Returns the dependencies of launches, with these sessions in the queue. */
function open(waiting: string[]) {
  return {
    ...{ ...stores, clock, newId: createNewId(), fold: sessionFold, writer: "test" },
    log: createLog({ ...stores, clock }),
    places: {
      async *waiting() {
        for (const sid of waiting) yield { sid, owner: "ada", at: 1, sort: sid, version: 1 }
      },
    },
  }
}

describe("the launches of sessions that got a slot", () => {
  it("are awaited if no more slots can be given", async () => {
    const done: string[] = []
    const isOver = Promise.withResolvers<void>()
    async function* granted() {
      yield "a"
      yield "b"
      setImmediate(isOver.resolve)
      throw new Error("The table is gone.")
    }
    const following = followGrants(
      {
        ...open([]),
        async launch(sid) {
          await isOver.promise
          done.push(sid)
        },
        report: (error) => expect.unreachable(String(error)),
      },
      granted(),
      options,
    )
    await expect(following).rejects.toThrow("The table is gone.")
    expect(done).toEqual(["a", "b"])
  })

  it("are followed by reports of new positions, even if the log of a waiting session is damaged", async () => {
    const deps = open(["damaged", "waiting"])
    await stores.records.put({ partition: logName("damaged"), sort: batchSort(1) }, { value: {} })
    const session = await openSessionLog(deps, "waiting", options)
    await session.decide(inOpenSession("s", createRun({ ...created(), kind: "agent" })), options)
    const reports: unknown[] = []
    const report = (error: unknown) => reports.push(error)
    await followGrants({ ...deps, launch: async () => {}, report }, ["a"], options)
    const { runs } = await session.catchUp(options)
    expect(runs.byId.run_1?.waitingReason).toContain("1 session ahead")
    expect(reports).toHaveLength(1)
  })
})
