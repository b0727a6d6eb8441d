import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compactTree, fileTree, MAX_TREE_CHARS } from "../../../../packages/core/src/work/context/file-tree.ts"

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

describe("the compact file tree", () => {
  const paths = ["README.md", "src/b/z.ts", "src/a/one.ts", "src/a/two.ts", "lib/x/a.js", "lib/x/b.js"]

  it("has a line per folder, and only the number of files by others", () => {
    const lines = compactTree(paths, 1000, (path) => path.startsWith("lib/"))
    expect(lines).toEqual([
      "README.md",
      "src/a/: one.ts, two.ts",
      "src/b/: z.ts",
      "Third-party or generated: lib/ (2 files)",
    ])
  })

  it("gives the deepest folders as numbers if the names don't fit", () => {
    const lines = compactTree(paths, 60)
    expect(lines).toEqual(["README.md", "lib/: x/ (2 files)", "src/: a/ (2 files), b/ (1 file)"])
  })

  it("names as many files of a full folder as fit", () => {
    const flat = Array.from({ length: 100 }, (_, at) => `all/file-${String(at).padStart(2, "0")}.ts`)
    const [line = ""] = compactTree(flat, 100)
    expect(line).toMatch(/^all\/: file-00\.ts, file-01\.ts, .* … and \d+ more$/)
    const [root = ""] = compactTree(
      flat.map((path) => path.slice(4)),
      100,
    )
    expect(root).toMatch(/^file-00\.ts, file-01\.ts, .* … and \d+ more$/)
  })

  it("stays within any budget", () => {
    const name = fc.stringMatching(/^[a-d]{1,4}$/)
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"))
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 60 }), fc.integer({ min: 40, max: 400 }), (paths, budget) => {
        expect(compactTree(paths, budget).join("\n").length).toBeLessThanOrEqual(budget)
      }),
    )
  })
})
