import { noResult } from "@switchyard/core/work/chat/history/transcript"
import { describe, expect, it } from "vitest"
import { isFulfilled } from "../../../packages/cli/src/chat/turn-report.ts"

describe("a turn", () => {
  it("didn't do what its answer claims without any edit, so the command fails", () => {
    const result = { ...noResult, response: "I have updated src/exit.ts." }
    expect(isFulfilled(result)).toBe(true)
    expect(isFulfilled({ ...result, is_unbacked: true })).toBe(false)
  })
})
