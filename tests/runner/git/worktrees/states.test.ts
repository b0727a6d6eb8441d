import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import { systemClock } from "@switchyard/core/time"
import { createWorktrees } from "@switchyard/runner/git/git-worktrees"
import { withoutFailingPrograms } from "@switchyard/runner/git/plumbing/without-programs"
import { describe, expect, it } from "vitest"
import { commit, newRepository, ourGit, placed, plainGit, signal, write } from "../repositories.ts"
import { tokensKept } from "./found-tokens.ts"

const WORK = "TOKEN-7-\n"
const FILE = ["-c", "protocol.file.allow=always"]

/** Brings a worktree into the state of a row in the documentation. Work that must not be lost contains `WORK`. */
const STATES: Record<string, (place: { repo: string; tree: string }) => unknown> = {
  "new, changed and deleted files": ({ tree }) => write(tree, { "a.txt": WORK, "b.txt": null, new: WORK }),
  "files hidden from git (`assume-unchanged`, `skip-worktree`)": async ({ tree }) => {
    plainGit(tree, "update-index", "--skip-worktree", "a.txt")
    await write(tree, { "a.txt": WORK })
  },
  "files outside the cone of a sparse checkout": async ({ tree }) => {
    plainGit(tree, "sparse-checkout", "set", "in")
    await write(tree, { "out/new": WORK })
  },
  "another branch or a detached `HEAD`": async ({ tree }) => {
    plainGit(tree, "checkout", "--quiet", "--detach")
    await write(tree, { new: WORK })
  },
  "files that git ignores": ({ tree }) => write(tree, { "x.log": WORK }),
  "files that git refuses": ({ tree }) => write(tree, { "x.utf": WORK }),
  "a repository inside the worktree": async ({ tree }) => {
    await mkdir(join(tree, "inner"))
    plainGit(join(tree, "inner"), "init", "--quiet")
    await write(join(tree, "inner"), { new: WORK })
  },
  "a worktree inside the worktree": async ({ tree }) => {
    plainGit(tree, "worktree", "add", "--quiet", "--detach", "inner")
    await write(join(tree, "inner"), { new: WORK })
  },
  "a new commit in a submodule": async ({ tree }) => {
    await write(join(tree, "lib"), { new: WORK })
    commit(join(tree, "lib"))
  },
  "uncommitted changes in a submodule": ({ tree }) => write(join(tree, "lib"), { new: WORK }),
  "a damaged submodule": async ({ tree }) => {
    await write(join(tree, "lib"), { new: WORK })
    await rm(plainGit(join(tree, "lib"), "rev-parse", "--absolute-git-dir"), { recursive: true })
  },
  "an unfinished merge, rebase or similar": async ({ repo, tree }) => {
    await write(tree, { "a.txt": WORK })
    commit(tree)
    await write(repo, { "a.txt": "theirs\n" })
    commit(repo)
    expect(() => plainGit(tree, "merge", "main")).toThrow()
  },
  "conflict markers": ({ tree }) => write(tree, { "a.txt": `<<<<<<< HEAD\n${WORK}=======\ntheirs\n>>>>>>> main\n` }),
  "a deleted or replaced `.git`": async ({ tree }) => {
    await write(tree, { new: WORK })
    await rm(join(tree, ".git"))
  },
  "a repository without commits": ({ tree }) => write(tree, { new: WORK }),
  "a filter whose program is missing": ({ tree }) => write(tree, { "a.big": WORK }),
}

/** Parses the documentation's table of states. Each has the outcomes of a commit, a merge and a deletion. */
function documented(): Map<string, string[]> {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/worktrees.md"), "utf8")
  const [, section = ""] = page.split("\n### States of a worktree\n")
  const rows =
    section
      .split("\n#")[0]
      ?.match(/^\| .*$/gm)
      ?.slice(1) ?? []
  return new Map(
    rows
      .map((row) =>
        row
          .split("|")
          .map((cell) => cell.trim())
          .slice(1, -1),
      )
      .map(([name = "", ...rest]) => [name, rest]),
  )
}

/** Creates a repository with a worktree in this state. */
async function inState(name: string) {
  const isUnborn = name === "a repository without commits"
  const at = isUnborn
    ? undefined
    : await newRepository({ "a.txt": "one\n", "b.txt": "b\n", "in/c": "c\n", "out/d": "d\n" })
  const folder = at?.folder ?? mkdtempSync(join(tmpdir(), "git-"))
  const repo = join(folder, "repo")
  const lib = join(folder, "lib")
  if (isUnborn) execFileSync("git", ["init", "--quiet", "--initial-branch=main", repo])
  else {
    execFileSync("git", ["init", "--quiet", "--initial-branch=main", lib])
    await write(lib, { f: "1\n" })
    commit(lib)
    plainGit(repo, ...FILE, "submodule", "--quiet", "add", lib, "lib")
    const attributes = "*.utf working-tree-encoding=UTF-16\n*.big filter=big\n"
    await write(repo, { ".gitignore": "*.log\n", ".gitattributes": attributes })
    commit(repo)
    plainGit(repo, "config", "filter.big.clean", "/nonexistent/git-lfs clean")
    plainGit(repo, "config", "filter.big.required", "true")
  }
  const git = withoutFailingPrograms(ourGit(), () => {})
  const deps = {
    ...placed(join(folder, "data/s1")),
    git,
    clock: systemClock,
    repository: repo,
    branch: "switchyard/s1",
  }
  const worktrees = await createWorktrees(deps, { signal })
  await worktrees.create({}, { signal })
  const tree = join(folder, "data/s1/tree")
  await STATES[name]?.({ repo, tree })
  const pointer = isUnborn ? "" : plainGit(repo, "ls-tree", "HEAD", "lib")
  return { repo, worktrees, pointer, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

type Scene = Awaited<ReturnType<typeof inState>>

/** True if a branch has the work: its content, or the submodule's new commit. */
function hasWork({ repo, pointer }: Scene, branch: string): boolean {
  const found = spawnSync("git", ["grep", "--quiet", "--text", WORK.trim(), branch], { cwd: repo }).status === 0
  return found || plainGit(repo, "ls-tree", branch, "lib") !== pointer
}

async function unlessRefused(attempt: () => Promise<unknown>, then: () => Promise<string> | string): Promise<string> {
  try {
    await attempt()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return "refused"
  }
  return then()
}

const merge = { strategy: "squash" as const, delete_worktree: false }

describe("the table of states in docs/worktrees.md", () => {
  it("has each state once", () => {
    expect([...documented().keys()]).toEqual(Object.keys(STATES))
  })

  it.each([...documented()])("says what happens to %s", async (name, outcomes) => {
    const found: string[] = []
    {
      await using scene = await inState(name)
      const commit = () => scene.worktrees.commit("work", { signal })
      found.push(await unlessRefused(commit, () => (hasWork(scene, "switchyard/s1") ? "committed" : "left out")))
    }
    {
      await using scene = await inState(name)
      const attempt = () => scene.worktrees.merge(merge, { signal })
      found.push(await unlessRefused(attempt, () => (hasWork(scene, "main") ? "merged" : "merged without")))
    }
    {
      await using scene = await inState(name)
      const attempt = () => scene.worktrees.remove({}, { signal })
      const isKept = async () => (await tokensKept(scene.repo)).has(WORK.trim())
      found.push(await unlessRefused(attempt, async () => ((await isKept()) ? "kept" : "lost")))
    }
    expect(found).toEqual(outcomes)
  })
})
