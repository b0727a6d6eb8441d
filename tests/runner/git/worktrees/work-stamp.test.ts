import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import { openWorktree } from "@switchyard/runner/git/worktrees/open-worktree"
import { glanceAt } from "@switchyard/runner/git/worktrees/work-stamp"
import { expect, it } from "vitest"
import { newRepository, ourGit, placed, plainGit, signal, write } from "../repositories.ts"

async function opened() {
  const at = await newRepository({ "a.txt": "a\n", "dir/b.txt": "b\n" })
  await (await at.open()).create({}, { signal })
  const about = { git: ourGit(), clock: systemClock, repository: at.repo, branch: "switchyard/s1" }
  const worktree = await openWorktree({ ...about, ...placed(join(at.folder, "data", "s1")) }, { signal })
  return { at, tree: worktree.tree, stamp: async () => (await glanceAt(worktree, { signal })).stamp }
}

it("is the same as long as nothing changes, and another after each change of files, index, commits or branches", async () => {
  const { at, tree, stamp } = await opened()
  const changes: (() => unknown)[] = [
    () => write(tree, { "new.txt": "1\n" }),
    // Git already lists the file as new, and its size doesn't change.
    () => write(tree, { "new.txt": "2\n" }),
    () => write(tree, { "folder/inside.txt": "1\n" }),
    () => write(tree, { "dir/b.txt": "c\n" }),
    () => chmod(join(tree, "a.txt"), 0o755),
    () => plainGit(tree, "add", "new.txt"),
    () => plainGit(tree, "stash", "--all"),
    () => plainGit(tree, "commit", "-q", "--allow-empty", "-m", "work"),
    () => plainGit(tree, "reset", "-q", "--hard", "HEAD~1"),
    () => plainGit(at.repo, "branch", "feature/other"),
    () => plainGit(at.repo, "commit", "-q", "--allow-empty", "-m", "theirs"),
    () => plainGit(at.repo, "checkout", "-q", "-b", "another"),
  ]
  let last = await stamp()
  for (const change of changes) {
    expect(await stamp()).toBe(last)
    await change()
    const next = await stamp()
    expect(next, String(change)).not.toBe(last)
    last = next
  }
  await at[Symbol.asyncDispose]()
})

it("is never the same beside a repository inside the worktree, whose commits no status shows", async () => {
  const { at, tree, stamp } = await opened()
  await write(tree, { "inner/c.txt": "c\n" })
  plainGit(join(tree, "inner"), "init", "-q")
  plainGit(join(tree, "inner"), "add", "c.txt")
  plainGit(join(tree, "inner"), "commit", "-qm", "inner")
  expect(await stamp()).not.toBe(await stamp())
  await at[Symbol.asyncDispose]()
})
