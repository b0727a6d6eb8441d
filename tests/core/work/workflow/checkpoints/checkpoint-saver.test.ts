import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint"
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint"
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation"
import { AppError } from "@switchyard/core/errors"
import type { Records } from "@switchyard/core/storage/records"
import { systemClock } from "@switchyard/core/time"
import { createCheckpointSaver } from "@switchyard/core/work/workflow/checkpoints/checkpoint-saver"
import { checkpointsOf, deleteCheckpoints } from "@switchyard/core/work/workflow/checkpoints/checkpoints"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { openStores, type Stores } from "../../../../fixtures/stores.ts"

// LangGraph's test suite expects these functions as globals.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it })

const opened = new Map<unknown, Stores>()
const initializer = {
  checkpointerName: "switchyard",
  async createCheckpointer() {
    const stores = await openStores()
    const saver = saverOn(stores)
    opened.set(saver, stores)
    return saver
  },
  async destroyCheckpointer(saver: unknown) {
    await opened.get(saver)?.close()
  },
}

validate(initializer)
deltaChannelHistoryTests(initializer)

describe("checkpoints", () => {
  let stores: Stores
  beforeEach(async () => {
    stores = await openStores()
  })
  afterEach(() => stores.close())

  const metadata: CheckpointMetadata = { source: "loop", step: 0, parents: {} }
  const root = { configurable: { thread_id: "t", checkpoint_ns: "" } }

  function checkpoint(values: Record<string, unknown>) {
    const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, 1]))
    return { ...emptyCheckpoint(), id: uuid6(1), channel_values: values, channel_versions: versions }
  }

  it("give back the writes of concurrent tasks in the order of their paths, from another saver too", async () => {
    const saver = saverOn(stores)
    const config = await saver.put(root, checkpoint({}), metadata, {})
    await saver.putWrites(config, [["b", 1]], "task-1", "~__pregel_pull, zebra")
    await saver.putWrites(config, [["a", 2]], "task-2", "~__pregel_pull, ape")
    const tuple = await saverOn(stores).getTuple(config)
    expect(tuple?.pendingWrites?.map(([task]) => task)).toEqual(["task-2", "task-1"])
  })

  it("keep the first writes of a task that runs again, and its last error", async () => {
    const saver = saverOn(stores)
    const config = await saver.put(root, checkpoint({}), metadata, {})
    await saver.putWrites(
      config,
      [
        ["a", 1],
        ["__error__", "first"],
      ],
      "task",
    )
    await saver.putWrites(
      config,
      [
        ["a", 2],
        ["b", 3],
      ],
      "task",
    )
    await saver.putWrites(config, [["__error__", "second"]], "task")
    const tuple = await saver.getTuple(config)
    expect(tuple?.pendingWrites).toEqual([
      ["task", "__error__", "second"],
      ["task", "a", 1],
      ["task", "b", 3],
    ])
  })

  it("move what no record can hold into blobs, and delete those with the thread", async () => {
    const saver = saverOn(stores)
    const huge = Array.from({ length: 60_000 }, (_, n) => Math.sin(n).toString())
    const config = await saver.put(root, checkpoint({ huge }), metadata, { huge: 1 })
    const other = await saver.put({ configurable: { thread_id: "t2" } }, checkpoint({ huge }), metadata, { huge: 1 })
    expect((await saver.getTuple(config))?.checkpoint.channel_values.huge).toEqual(huge)
    expect(await Array.fromAsync(stores.blobs.list("blobs/"))).toHaveLength(2)

    await saver.deleteThread("t")
    expect(await saver.getTuple(config)).toBeUndefined()
    expect(await Array.fromAsync(stores.records.range("p", { from: "t/", to: "t0" }))).toEqual([])
    expect(await Array.fromAsync(stores.blobs.list("blobs/"))).toHaveLength(1)
    expect((await saver.getTuple(other))?.checkpoint.channel_values.huge).toEqual(huge)
  })

  it("of a run are all deleted with it, and no other run's", async () => {
    const huge = Array.from({ length: 60_000 }, (_, n) => Math.sin(n).toString())
    const placed = { ...stores, clock: systemClock, signal: new AbortController().signal }
    const savers = ["run_1", "run_2"].map((run) => createCheckpointSaver({ ...placed, ...checkpointsOf("sid", run) }))
    for (const saver of savers) await saver.put(root, checkpoint({ huge }), metadata, { huge: 1 })
    await deleteCheckpoints(stores, "sid", "run_1", placed)
    const left = await Promise.all(savers.map((saver) => saver.getTuple(root)))
    expect(left.map((tuple) => tuple?.checkpoint.channel_values.huge)).toEqual([undefined, huge])
    expect(await Array.fromAsync(stores.blobs.list("s/sid/"))).toHaveLength(1)
  })

  it("are whole again after the thread was deleted under a graph that still runs", async () => {
    const saver = saverOn(stores)
    const first = await saver.put(root, checkpoint({ plan: "p" }), metadata, { plan: 1 })
    await saver.deleteThread("t")
    const next = await saver.put(first, checkpoint({ plan: "p", idx: 1 }), metadata, { idx: 1 })
    expect((await saver.getTuple(next))?.checkpoint.channel_values).toEqual({ plan: "p", idx: 1 })
  })

  it("survive a store that is out of breath for a moment, and say so when it stays so", async () => {
    let failures = 2
    const put: Records["put"] = (...args) => {
      if (failures-- > 0) return Promise.reject(new AppError("storage_unavailable", "Busy."))
      return stores.records.put(...args)
    }
    const saver = saverOn({ ...stores, records: { ...stores.records, put } })
    const config = await saver.put(root, checkpoint({ a: 1 }), metadata, { a: 1 })
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: 1 })
    failures = Number.POSITIVE_INFINITY
    await expect(saver.put(root, checkpoint({}), metadata, {})).rejects.toMatchObject({ code: "storage_unavailable" })
  })
})

function saverOn({ records, blobs }: Pick<Stores, "records" | "blobs">) {
  const clock = { ...systemClock, sleep: async () => {} }
  return createCheckpointSaver({ records, blobs, clock, partition: "p", blobPrefix: "blobs/" })
}
