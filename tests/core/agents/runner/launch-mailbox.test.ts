import { createLaunchMailbox, runnerKey } from "@switchyard/core/agents/runner/launch-mailbox"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openStores, type Stores } from "../../../fixtures/stores.ts"

const { signal } = new AbortController()
const MASTER = new Uint8Array(32).fill(7)
const note = (run_id: string, api_key: string) => ({
  ...{ type: "run" as const, run_id, expected_generation: 0 },
  account: { api_key, base_url: null, home: "h" },
})

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

const notesOf = (sid: string, master = MASTER) =>
  createLaunchMailbox({ records: stores.records, now: Date.now }, { sid, key: runnerKey(master, sid) })

async function standing(sid: string): Promise<string[]> {
  return (await Array.fromAsync(stores.records.range(`s/${sid}/launches`, { signal }))).map(({ key }) => key.sort)
}

it("gives a runner what was left for its session, each once, and nothing in clear text", async () => {
  await notesOf("one").put(note("run_1", "secret-1"), { signal })
  await notesOf("one").put(note("run_2", "secret-2"), { signal })
  await notesOf("two").put(note("run_3", "secret-3"), { signal })
  const [record] = await Array.fromAsync(stores.records.range("s/one/launches", { signal }))
  expect(Buffer.from(record?.bytes ?? []).includes("secret")).toBe(false)
  expect(await Array.fromAsync(notesOf("one").drain({ signal }))).toEqual([
    note("run_1", "secret-1"),
    note("run_2", "secret-2"),
  ])
  expect([await standing("one"), await standing("two")]).toEqual([[], ["run_3"]])
})

it("leaves a note for the next runner when this one goes before it has taken it", async () => {
  await notesOf("one").put(note("run_1", "secret"), { signal })
  for await (const _ of notesOf("one").drain({ signal })) break
  expect(await standing("one")).toEqual(["run_1"])
})

it("keeps a note that took the place of one while that was read", async () => {
  await notesOf("one").put(note("run_1", "old"), { signal })
  for await (const read of notesOf("one").drain({ signal })) {
    expect(read).toMatchObject({ account: { api_key: "old" } })
    await notesOf("one").put(note("run_1", "new"), { signal })
  }
  expect(await Array.fromAsync(notesOf("one").drain({ signal }))).toEqual([note("run_1", "new")])
})

it("drops what was sealed with another key", async () => {
  await notesOf(
    "one",
    MASTER.map((byte) => byte + 1),
  ).put(note("run_1", "secret"), { signal })
  expect(await Array.fromAsync(notesOf("one").drain({ signal }))).toEqual([])
  expect(await standing("one")).toEqual([])
})

it("has what an executor is asked for once, beside the launches, and sealed as they are", async () => {
  await notesOf("one").put({ type: "yield", executor: "ecs-a" }, { signal })
  await notesOf("one").put(note("run_1", "secret"), { signal })
  await notesOf("one").put({ type: "yield", executor: "ecs-b" }, { signal })
  expect(await Array.fromAsync(notesOf("one").drain({ signal }))).toEqual([
    note("run_1", "secret"),
    { type: "yield", executor: "ecs-b" },
  ])
  expect(await standing("one")).toEqual([])
})
