import { createDemoProvider } from "@switchyard/demo-model"
import { describe, expect, it } from "vitest"
import { openTeamBench } from "../core/work/teams/team-bench.ts"

describe("the demo's team", () => {
  it("reaches a goal as long as one may be, of characters that JSON writes with six", async () => {
    const bench = await openTeamBench()
    await bench.start("\u0001".repeat(20_000))
    await bench.drive(createDemoProvider({ paceMs: 0, sleep: async () => {} }))
    const { team } = await bench.state()
    expect(Object.values(team?.nodes ?? {}).map(({ status }) => status)).toEqual(Array(5).fill("completed"))
    expect(team?.finishedSeq).not.toBeNull()
    await bench.close()
  })
})
