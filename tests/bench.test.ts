import { describe, expect, it } from "vitest"
import { MOST_RECORDS, mostReads } from "../bench/decide.ts"
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
})
