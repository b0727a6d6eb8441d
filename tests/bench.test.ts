import { snapshotKey } from "@switchyard/core/kernel/keys"
import { describe, expect, it } from "vitest"
import { createCallCounter } from "../bench/counted.ts"
import { MOST_RECORDS, mostReads } from "../bench/decide.ts"
import { countedReads, decide, endedRuns, listNewest, openNewestTerminal } from "../bench/many-runs.ts"
import { newStage, SID } from "../bench/stage.ts"
import { countWrites } from "../bench/write-units.ts"

describe("what the cloud bills", () => {
  it("costs a fifth of a record a token, or less, while a model speaks", async () => {
    const gathered = await countWrites()
    const single = await countWrites({ gather: false })
    expect(single.puts).toBeGreaterThanOrEqual(1000)
    expect(gathered.writeUnits / single.writeUnits).toBeLessThan(0.2)
  })

  it("takes a decision on two reads, however long the session is and wherever its snapshot stands", async () => {
    const { reads, found } = await mostReads(2000)
    expect(reads).toBe(2)
    expect(found).toBeLessThanOrEqual(MOST_RECORDS)
  })

  it("takes as many reads, and a small snapshot, however many runs are over", async () => {
    const counter = createCallCounter()
    await using stage = await newStage({ around: counter.around })
    await endedRuns(stage, 3000)
    const snapshot = await stage.records.get(snapshotKey(SID))
    expect(snapshot?.bytes?.length).toBeLessThan(64 * 1024)
    expect(await countedReads(stage, counter, decide)).toBe(2)
    expect(await countedReads(stage, counter, listNewest)).toBe(3)
    expect(await countedReads(stage, counter, openNewestTerminal)).toBe(3)
  })
})
