import { chmodSync, linkSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { takeOver } from "@switchyard/runner/programs/take-over"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { needs } from "../../needs.ts"
import { removeFolder } from "../../remove-folder.ts"

let folder: string
let tree: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "take-over-"))
  tree = join(folder, "tree")
  mkdirSync(join(tree, "inner"), { recursive: true })
})
afterEach(() => removeFolder(folder, { kill: true }))

describe(
  "a tree that another user unpacked",
  needs(process.getuid?.() === 0 ? undefined : "this user isn't root"),
  () => {
    it("loses every right of others to write, and every special mode", async () => {
      for (const name of ["inner/program", "inner/data"]) writeFileSync(join(tree, name), "")
      const modes = { "inner/program": 0o6777, "inner/data": 0o666, inner: 0o777 }
      for (const [name, mode] of Object.entries(modes)) chmodSync(join(tree, name), mode)
      await takeOver(tree)
      const modeOf = (name: string) => (lstatSync(join(tree, name)).mode & 0o7777).toString(8)
      expect(["", "inner", "inner/program", "inner/data"].map(modeOf)).toEqual(["755", "755", "755", "644"])
    })

    it.each([
      ["something leads out of it", (outside: string) => symlinkSync(outside, join(tree, "link"))],
      ["one of its files has a second name", (outside: string) => linkSync(outside, join(tree, "inner/same"))],
    ])("is refused where %s", async (_, lead) => {
      const outside = join(folder, "outside")
      writeFileSync(outside, "", { mode: 0o600 })
      lead(outside)
      await expect(takeOver(tree)).rejects.toThrow("something other than files and folders")
      expect((lstatSync(outside).mode & 0o777).toString(8)).toBe("600")
    })
  },
)
