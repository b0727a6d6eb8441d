import { createDueList } from "@switchyard/core/kernel/due"
import { expect, it } from "vitest"
import { openStores } from "../../fixtures/stores.ts"
import { never as signal } from "../../settings.ts"

it("passes over the hints of a newer version, and leaves them there", async () => {
  const stores = await openStores()
  const due = createDueList(stores.records)
  const newer = { partition: "due", sort: "000000000000001/sid/eclipse" }
  await stores.records.put(newer, { value: { subject: { kind: "eclipse", sid: "sid" }, at: 1 } })
  await stores.records.put({ ...newer, sort: "000000000000001/sid/none" }, { value: {} })
  await due.add({ kind: "session", sid: "sid" }, 2, { signal })
  const found = await Array.fromAsync(due.dueBefore(3, { signal }))
  expect(found.map(({ subject, at }) => [subject, at])).toEqual([[{ kind: "session", sid: "sid" }, 2]])
  expect(await stores.records.get(newer)).toBeDefined()
  await stores.close()
})
