import { createNewId } from "@switchyard/core/ids"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { systemClock as clock } from "@switchyard/core/time"
import { followGrants } from "@switchyard/functions/aws/follow-grants"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores, type Stores } from "../../fixtures/stores.ts"
import { never } from "../../settings.ts"

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

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
        ...{ ...stores, clock, newId: createNewId(), fold: sessionFold, writer: "test" },
        log: createLog({ ...stores, clock }),
        places: { waiting: async function* () {} },
        async launch(sid) {
          await isOver.promise
          done.push(sid)
        },
        report: (error) => expect.unreachable(String(error)),
      },
      granted(),
      { signal: never },
    )
    await expect(following).rejects.toThrow("The table is gone.")
    expect(done).toEqual(["a", "b"])
  })
})
