import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ownFiles } from "@switchyard/runner/files/files"
import { findObstacles } from "@switchyard/runner/project/write-obstacles"
import { afterEach, beforeEach, expect, it } from "vitest"

let root: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "switchyard-obstacles-")))
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** Returns the reasons why these files can't be created while others are removed. */
async function obstacles(created: string[], removed: string[] = []) {
  const write = (path: string) => ({ path, sha256: "new", if_sha256: null })
  const remove = (path: string) => ({ path, sha256: null, if_sha256: "old" })
  const found = await findObstacles(ownFiles, root, [...created.map(write), ...removed.map(remove)])
  return [...found.values()]
}

it("leaves files alone that are where they should be, and new folders", async () => {
  await writeFile(join(root, "a.txt"), "a")
  expect(await obstacles(["a.txt", "new/deep/b.txt"])).toEqual([])
})

it("names a link's target within the folder, and none that is outside or missing", async () => {
  await mkdir(join(root, "real"))
  await symlink("real", join(root, "inner"))
  await symlink("/etc", join(root, "outer"))
  await symlink("nothing", join(root, "broken"))
  expect(await obstacles(["inner/a", "outer/a", "outer", "broken"])).toEqual([
    "inner is a symbolic link to real; use that path instead.",
    "outer is a symbolic link whose target is missing or outside the repository.",
    "outer is a symbolic link whose target is missing or outside the repository.",
    "broken is a symbolic link whose target is missing or outside the repository.",
  ])
})

it("refuses a file for a folder and a folder for a file, but not where these are removed with it", async () => {
  await mkdir(join(root, "folder"))
  await writeFile(join(root, "folder/a"), "a")
  await writeFile(join(root, "file"), "b")
  expect(await obstacles(["folder", "file/a"])).toEqual(["folder is a folder.", "file isn't a folder."])
  expect(await obstacles(["folder", "file/a"], ["folder/a", "file"])).toEqual([])
})

it("refuses a repository within the repository, whose files its commits don't have", async () => {
  await mkdir(join(root, "module/.git"), { recursive: true })
  expect(await obstacles(["module/a", "module"])).toEqual(["module is a separate repository.", "module is a folder."])
})
