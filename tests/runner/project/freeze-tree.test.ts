import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, linkSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freezeTree } from "@switchyard/runner/project/setup/freeze-tree"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { needs } from "../../needs.ts"
import { removeFolder } from "../../remove-folder.ts"

let folder: string
let tree: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "freeze-"))
  tree = join(folder, "tree")
  mkdirSync(join(tree, "bin"), { recursive: true })
  writeFileSync(join(tree, "bin/node"), "", { mode: 0o755 })
  writeFileSync(join(folder, "outside"), "", { mode: 0o600 })
})
afterEach(() => removeFolder(folder, { kill: true }))

describe("a tree of tools", needs(process.getuid?.() === 0 ? undefined : "this user isn't root"), () => {
  it("belongs to root afterwards, without special modes, and what its links lead to stays as it is", async () => {
    linkSync(join(tree, "bin/node"), join(tree, "bin/cargo"))
    symlinkSync("../../outside", join(tree, "bin/link"))
    for (const name of ["bin", "bin/node"]) chownSync(join(tree, name), 65534, 65534)
    chmodSync(join(tree, "bin/node"), 0o6777)
    await freezeTree(tree)
    const modeOf = (path: string) => [lstatSync(path).uid, (lstatSync(path).mode & 0o7777).toString(8)]
    const names = ["tree/bin", "tree/bin/node", "tree/bin/cargo", "outside"]
    expect(names.map((name) => modeOf(join(folder, name)))).toEqual([
      [0, "755"],
      [0, "755"],
      [0, "755"],
      [0, "600"],
    ])
  })

  it.each([
    ["a hard link to a file outside", () => linkSync(join(folder, "outside"), join(tree, "bin/same"))],
    ["a pipe", () => execFileSync("sh", ["-c", "mkfifo pipe"], { cwd: tree })],
  ])("is refused with %s in it, and nothing in it is changed", async (_, add) => {
    add()
    chmodSync(join(tree, "bin/node"), 0o700)
    await expect(freezeTree(tree)).rejects.toThrow("contain an unusual file")
    expect((lstatSync(join(tree, "bin/node")).mode & 0o777).toString(8)).toBe("700")
    expect((lstatSync(join(folder, "outside")).mode & 0o777).toString(8)).toBe("600")
  })
})
