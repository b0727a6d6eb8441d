import { describe, expect, it } from "vitest"
import {
  fileAtStep,
  indexOfChosen,
  nextUnresolved,
} from "../../../../../packages/web/src/features/changes/worktree/file-selection.ts"

const paths = ["a", "b", "c"]

describe("the chosen file", () => {
  it("is the one that was chosen while it is there, and else another", () => {
    expect(indexOfChosen(paths, "b")).toBe(1)
    expect(indexOfChosen(paths, null)).toBe(0)
    expect(indexOfChosen(paths, "gone", 2)).toBe(2)
    expect(indexOfChosen(paths, "gone", -1)).toBe(0)
    expect(indexOfChosen(paths, "a", 2)).toBe(0)
  })

  it("moves step by step, and stays at both ends", () => {
    expect([0, 1, 2].map((at) => fileAtStep(paths, at, 1))).toEqual(["b", "c", "c"])
    expect([0, 1, 2].map((at) => fileAtStep(paths, at, -1))).toEqual(["a", "a", "b"])
    expect(fileAtStep([], 0, 1)).toBeNull()
  })
})

describe("the next file in conflict", () => {
  const file = (file_path: string, resolved: boolean) => ({ file_path, resolved })

  it("is the first that isn't resolved, but for the one that is just being resolved", () => {
    expect(nextUnresolved([file("a", true), file("b", false), file("c", false)], 1)).toBe("c")
    expect(nextUnresolved([file("a", false), file("b", false)], 1)).toBe("a")
    expect(nextUnresolved([file("a", true), file("b", false)], 1)).toBeNull()
  })
})
