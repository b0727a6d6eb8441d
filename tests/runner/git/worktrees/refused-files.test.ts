import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { systemClock } from "@switchyard/core/time"
import { takeWorkSnapshot } from "@switchyard/runner/git/saves/work-snapshot"
import { openWorktree } from "@switchyard/runner/git/worktrees/open-worktree"
import { listFiles } from "@switchyard/runner/git/worktrees/workspace-changes"
import { describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { commit, newRepository, open, ourGit, placed, plainGit, signal, write } from "../repositories.ts"

const merge = { strategy: "squash" as const, delete_worktree: true }
const FILE = ["-c", "protocol.file.allow=always"]

/** Creates a repository with a submodule `lib`, and an agent's worktree of it. */
async function newWork(attributes = "") {
  const at = await newRepository({ "a.txt": "one\n", ".gitattributes": attributes })
  const lib = join(at.folder, "lib")
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", lib])
  await write(lib, { f: "1\n" })
  commit(lib)
  plainGit(at.repo, ...FILE, "submodule", "--quiet", "add", lib, "lib")
  commit(at.repo, "with a submodule")
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  return { at, worktrees, tree: at.tree() }
}

const gitDirOf = (tree: string) => plainGit(join(tree, "lib"), "rev-parse", "--absolute-git-dir")

interface Case {
  attributes?: string
  /** Leaves something in the worktree that git refuses. */
  act: (tree: string) => unknown
  path: string
  reason: RegExp
  isDamaged?: true
}

const CASES: Record<string, Case> = {
  "a pipe in the place of a file": {
    async act(tree) {
      await rm(join(tree, "a.txt"))
      execFileSync("sh", ["-c", "mkfifo a.txt"], { cwd: tree })
    },
    path: "a.txt",
    reason: /can only add regular files/,
  },
  "a file that isn't in the encoding that an attribute asks for": {
    attributes: "*.utf working-tree-encoding=UTF-16\n",
    act: (tree) => write(tree, { "x.utf": "no byte order mark\n" }),
    path: "x.utf",
    reason: /BOM is required/,
  },
  "a file in an encoding that git doesn't know": {
    attributes: "*.utf working-tree-encoding=klingon\n",
    act: (tree) => write(tree, { "x.utf": "nuqneH\n" }),
    path: "x.utf",
    reason: /failed to encode/,
  },
  "a name that git takes for an attack": {
    act: (tree) => write(tree, { "git~1": "x\n" }),
    path: "git~1",
    reason: /invalid path/,
  },
  "a submodule on a branch without a commit": {
    act: (tree) => plainGit(join(tree, "lib"), "checkout", "--quiet", "--orphan", "new"),
    path: "lib",
    reason: /does not have a commit checked out/,
  },
  "a submodule whose git folder is gone": {
    act: (tree) => rm(gitDirOf(tree), { recursive: true }),
    path: "lib",
    reason: /not a git repository/,
    isDamaged: true,
  },
  "a submodule with a damaged index": {
    act: (tree) => writeFile(join(gitDirOf(tree), "index"), "damaged"),
    path: "lib",
    reason: /index file/,
    isDamaged: true,
  },
}

describe("what git refuses", () => {
  it.each(Object.entries(CASES))("is left out and named, and the rest is saved: %s", async (_, given) => {
    const { attributes, act, path, reason } = given
    const { at: made, worktrees, tree } = await newWork(attributes)
    await using at = made
    await write(tree, { "b.txt": "before\n", "y.txt": "good\n", "z/z.txt": "after\n" })
    await act(tree)
    const good = ["b.txt", "y.txt", "z/z.txt"]
    expect(await worktrees.status({ signal })).toMatchObject({ exists: true, uncommitted: true })
    const { files, left_out } = await worktrees.diff({}, { signal })
    expect(files.map(({ new_path }) => new_path)).toEqual(expect.arrayContaining(good))
    expect(left_out).toEqual([path])
    expect(await listFiles(ourGit(), { tree, base: "HEAD" }, { signal })).toEqual(expect.arrayContaining(good))
    const about = { ...placed(join(at.folder, "data/s1")), repository: at.repo, branch: "switchyard/s1" }
    const opened = await openWorktree({ ...about, git: ourGit(), clock: systemClock }, { signal })
    expect((await takeWorkSnapshot(opened, false, { signal }))?.leftOut).toMatchObject(
      // A save stores a damaged submodule's files as an ordinary folder.
      given.isDamaged ? [] : [{ path, reason: "refused", detail: expect.stringMatching(reason) }],
    )
    const refused: SkippedFile[] = []
    await worktrees.commit("work", { signal, onStaged: (staged) => void refused.push(...staged.refused) })
    expect(refused).toEqual([{ path, reason: "refused", detail: expect.stringMatching(reason) }])
    const names = plainGit(at.repo, "ls-tree", "-r", "--name-only", "switchyard/s1").split("\n")
    expect(names).toEqual(expect.arrayContaining(good))
    expect(await worktrees.merge({ ...merge, delete_worktree: false }, { signal })).toMatchObject({
      status: "merged",
      message: expect.stringMatching(reason),
    })
    expect(await worktrees.remove({ discard: true }, { signal })).toMatchObject({ deleted: true })
  })

  it("keeps the worktree after a merge, which says why", async () => {
    const { at: made, worktrees, tree } = await newWork("*.utf working-tree-encoding=UTF-16\n")
    await using at = made
    await write(tree, { "x.utf": "no mark\n", "y.txt": "good\n" })
    expect(await worktrees.merge(merge, { signal })).toMatchObject({
      worktree_deleted: false,
      worktree_kept: { reason: "left_out", message: expect.stringContaining("x.utf") },
    })
    expect(existsSync(join(at.repo, "y.txt"))).toBe(true)
    await rm(join(tree, "x.utf"))
    expect(await worktrees.remove({}, { signal })).toMatchObject({ deleted: true })
  })

  it("is found among thousands of files without a call for each", async () => {
    const { at: made, worktrees, tree } = await newWork("*.utf working-tree-encoding=UTF-16\n")
    await using _ = made
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`d${index % 7}/f${index}`, `${index}\n`]),
    )
    await write(tree, { ...many, "d3/x.utf": "no mark\n", "d5/y.utf": "none either\n" })
    const { files, left_out } = await worktrees.diff({}, { signal })
    expect(left_out.sort()).toEqual(["d3/x.utf", "d5/y.utf"])
    expect(files).toHaveLength(500)
  })
})

itDeep("hundreds of refused files leave out no good one beside them", async () => {
  await using at = await newRepository({ "a.txt": "one\n", ".gitattributes": "*.utf working-tree-encoding=UTF-16\n" })
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  const numbers = Array.from({ length: 300 }, (_, at) => at)
  const bad = numbers.map((at) => `${at}.utf`)
  const good = numbers.map((at) => `${at}.txt`)
  await write(at.tree(), Object.fromEntries([...bad, ...good].map((path) => [path, "no byte order mark\n"])))
  const { files, left_out } = await worktrees.diff({}, { signal })
  expect(files.map(({ new_path }) => new_path).sort()).toEqual(good.toSorted())
  expect(left_out.toSorted()).toEqual(bad.toSorted())
})

it("a file that vanishes while git adds it is no reason to fail", async () => {
  await using at = await newRepository({ "a.txt": "one\n", ".gitattributes": "*.v filter=vanish\n" })
  plainGit(at.repo, "config", "filter.vanish.clean", `rm -f '${at.tree()}/z.txt'; cat`)
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  await write(at.tree(), { "a.v": "removes another file\n", "b.txt": "good\n", "z.txt": "gone in a moment\n" })
  const { files, left_out } = await worktrees.diff({}, { signal })
  expect(files.map(({ new_path }) => new_path)).toEqual(["a.v", "b.txt"])
  expect(left_out).toEqual([])
})

it("files and folders that can't be read are named, and aren't taken for deleted", async () => {
  await using at = await newRepository({ "a.txt": "one\n", "tracked/t": "1\n" })
  // Root reads everything, so git runs as another user.
  const isRoot = process.getuid?.() === 0
  const folder = join(at.folder, "data/s1")
  const user = { uid: 65534, gid: 65534 }
  await chmod(at.folder, 0o755)
  const worktrees = await open(at.repo, folder, "s1", isRoot ? { isShared: true } : {})
  await worktrees.create({}, { signal })
  const tree = join(folder, "tree")
  await write(tree, { "closed/f": "1\n", secret: "x\n", good: "good\n" })
  if (isRoot) execFileSync("chown", ["-R", "65534:65534", at.folder])
  for (const path of ["closed", "tracked", "secret"]) await chmod(join(tree, path), 0)
  const theirs = await open(at.repo, folder, "s1", isRoot ? { user, isShared: true } : {})
  const refused: SkippedFile[] = []
  await theirs.commit("work", { signal, onStaged: (staged) => void refused.push(...staged.refused) })
  for (const path of ["closed", "tracked"]) await chmod(join(tree, path), 0o755)
  expect(refused.map(({ path }) => path).sort()).toEqual(["closed/", "secret", "tracked/"])
  expect(refused[0]?.detail).toContain("Permission denied")
  const names = plainGit(at.repo, "-c", "safe.directory=*", "ls-tree", "-r", "--name-only", "switchyard/s1").split("\n")
  expect(names).toEqual(["a.txt", "good", "tracked/t"])
  await chmod(join(tree, "closed"), 0)
  expect(await theirs.remove({ discard: true }, { signal })).toMatchObject({ deleted: true })
  expect(existsSync(tree)).toBe(false)
})
