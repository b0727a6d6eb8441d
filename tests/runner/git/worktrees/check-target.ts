import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { askGit } from "../repositories.ts"

/** Expects no conflict marker in the target, and that a clone gets the submodules once they are pushed. */
export async function checkTarget(folder: string, repo: string, lib: string | undefined): Promise<void> {
  expect((await askGit(repo, ["grep", "-lE", "^(<<<<<<<|>>>>>>>)", "main"])).toString()).toBe("")
  // A target that hasn't moved needs no check.
  if ((await askGit(repo, ["reflog", "--format=%H", "main"])).toString().split("\n").length <= 2) return
  const entries = (await askGit(repo, ["ls-tree", "-r", "-z", "main"])).toString().split("\0")
  for (const entry of entries.filter((each) => each.startsWith("160000 "))) {
    const name = entry.split("\t")[1] === "lib" ? "the/lib" : "second"
    const module = join(repo, ".git/modules", name)
    if (!existsSync(module)) continue
    const pushed = `${entry.split(/\s/)[2]}:refs/heads/${name}`
    const env = { GIT_DIR: module, GIT_WORK_TREE: module }
    await askGit(module, ["push", "--quiet", "--force", lib ?? "", pushed], { env })
  }
  const clone = ["-c", "protocol.file.allow=always", "clone", "--quiet", "--recurse-submodules"]
  await askGit(folder, [...clone, "--branch=main", repo, join(folder, "clone")])
}
