import { describe, expect, it } from "vitest"
import {
  allMade,
  linesOf,
  resultOf,
  sidesOf,
} from "../../../../../packages/web/src/features/changes/conflicts/conflict-choices.ts"

const hunk = { index: 0, before: [], ours: ["a"], base: ["o"], theirs: ["b", "c"], after: [] }

describe("the choices of a conflict", () => {
  it("name the sides by where the merge goes", () => {
    expect(sidesOf({ direction: "merge", target_branch: "main" })).toEqual({ ours: "main", theirs: "this branch" })
    expect(sidesOf({ direction: "update", target_branch: "main" })).toEqual({ ours: "this branch", theirs: "main" })
  })

  it("begin an edit with what was chosen before", () => {
    expect(resultOf(hunk, "both")).toEqual(["a", "b", "c"])
    expect(resultOf(hunk, "theirs")).toEqual(["b", "c"])
    expect(resultOf(hunk, { lines: ["own"] })).toEqual(["own"])
  })

  it("take an emptied text as no line, and a blank line as one", () => {
    expect(linesOf("")).toEqual([])
    expect(linesOf("\n")).toEqual([""])
    expect(linesOf("a\n\nb")).toEqual(["a", "", "b"])
  })

  it("are only sent when every region has one", () => {
    expect(allMade(["ours", null])).toBeNull()
    expect(allMade(["ours", { lines: [] }])).toEqual(["ours", { lines: [] }])
  })
})
