import { compareManifests, restoreChanges } from "@switchyard/core/files/workspaces/compare"
import { describe, expect, it } from "vitest"
import { deletion, folder, manifestOf } from "./trees.ts"

describe("two versions", () => {
  it("are compared by file: added, removed, changed, renamed", () => {
    const before = manifestOf({ a: "1", "old/b": "2", gone: "3", c: "4" })
    const after = manifestOf({ a: "1", "new/b": "2", fresh: "5", c: "6" })
    expect(compareManifests(before, after)).toEqual({
      added: ["fresh"],
      removed: ["gone"],
      changed: ["c"],
      renamed: [{ from: "old/b", to: "new/b" }],
    })
  })

  it("pair each copy once", () => {
    const { renamed, removed, added } = compareManifests(
      manifestOf({ a: "x", b: "x" }),
      manifestOf({ c: "x", "d/e": "y" }),
    )
    expect({ renamed, removed, added }).toEqual({ renamed: [{ from: "a", to: "c" }], removed: ["b"], added: ["d/e"] })
  })

  it("differ when only a mode does", () => {
    const [file] = manifestOf({ a: "1" }).files
    const script = { files: file ? [{ ...file, mode: 0o755 }] : [], folders: [] }
    expect(compareManifests(manifestOf({ a: "1" }), script).changed).toEqual(["a"])
    expect(restoreChanges(manifestOf({ a: "1" }), script)).toHaveLength(1)
  })
})

describe("the way back to a version", () => {
  it("touches nothing that is as it was", () => {
    const wanted = manifestOf({ "src/a": "1", "src/b": "2", "e/": "" })
    const current = manifestOf({ "src/a": "1", "src/b": "2", "src/new/c": "3" })
    expect(restoreChanges(current, wanted)).toEqual([deletion("src/new", true), folder("e")])
  })
})
