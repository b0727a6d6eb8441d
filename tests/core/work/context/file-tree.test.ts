import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fileTree, MAX_TREE_CHARS } from "../../../../packages/core/src/work/context/file-tree.ts"

const many = Array.from({ length: 15_000 }, (_, at) => `packages/part-${at % 40}/src/room-${at % 400}/file-${at}.ts`)

describe("the file tree of a prompt", () => {
  it("has every path while they fit, sorted", () => {
    expect(fileTree(["b/c.ts", "a.ts", "b/a.ts"])).toEqual(["a.ts", "b/a.ts", "b/c.ts"])
  })

  it("has folders with their counts once the paths don't fit, at the greatest depth that does", () => {
    const paths = ["README.md", "src/a/one.ts", "src/a/two.ts", "src/b/three.ts", "src/top.ts"]
    const byFolder = ["README.md", "src/a/ (2 files)", "src/b/ (1 file)", "src/top.ts"]
    const room = byFolder.join("\n").length
    expect(fileTree(paths, room)).toEqual(byFolder)
    expect(fileTree(paths, room - 1)).toEqual(["README.md", "src/ (4 files)"])
  })

  it("shows 15,000 files within its budget, and accounts for each of them", () => {
    const lines = fileTree(many)
    expect(lines.join("\n").length).toBeLessThanOrEqual(MAX_TREE_CHARS)
    const counted = lines.reduce((sum, line) => sum + Number(/\((\d+) files?\)$/.exec(line)?.[1] ?? 1), 0)
    expect(counted).toBe(many.length)
  })

  it("says how many lines are left out where even the top folders are too many", () => {
    const flat = Array.from({ length: 100 }, (_, at) => `file-${String(at).padStart(2, "0")}.ts`)
    const lines = fileTree(flat, 200)
    expect(lines.join("\n").length).toBeLessThanOrEqual(200)
    expect(lines.at(-1)).toBe(`… and ${100 - (lines.length - 1)} more`)
  })

  it("stays within any budget, and is the same for the same paths in any order", () => {
    const name = fc.stringMatching(/^[a-d]{1,4}$/)
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"))
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 60 }), fc.integer({ min: 40, max: 400 }), (paths, budget) => {
        const lines = fileTree(paths, budget)
        expect(lines.join("\n").length).toBeLessThanOrEqual(budget)
        expect(fileTree(paths.toReversed(), budget)).toEqual(lines)
      }),
    )
  })
})
