import { randomBytes } from "node:crypto"
import { mkdir, readFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import { createWorktrees } from "@switchyard/runner/git/git-worktrees"
import { clone } from "@switchyard/runner/git/remote/clone"
import { reachDirectly as reach } from "@switchyard/runner/git/remote/remotes"
import { restoreWorkSnapshot } from "@switchyard/runner/git/saves/restore-snapshot"
import { bundleWorkSnapshot, takeWorkSnapshot } from "@switchyard/runner/git/saves/work-snapshot"
import { openWorktree } from "@switchyard/runner/git/worktrees/open-worktree"
import { describe, expect, it } from "vitest"
import { commit, filesIn, newRepository, ourGit, placed, plainGit, signal, write } from "../repositories.ts"

const git = ourGit()
const FILE = ["-c", "protocol.file.allow=always"]
const merge = { strategy: "merge" as const, delete_worktree: false, commit_message: "Merged" }

/** Opens a machine with a session's own clone of a repository, and a worktree. */
async function machine(folder: string, origin: string) {
  const where = {
    git,
    clock: systemClock,
    repository: join(folder, "clone"),
    ...placed(join(folder, "work/1")),
    branch: "switchyard/s",
    isOwn: true,
  }
  await clone(git, { url: `file://${origin}`, reach }, where.repository, { signal })
  const worktree = await openWorktree(where, { signal })
  return { ...where, worktree, worktrees: await createWorktrees(where, { signal }) }
}

type Machine = Awaited<ReturnType<typeof machine>>

/** Saves only new work each time, like a runner. */
function createWorkspaceSaver({ worktree, folder }: Machine) {
  const bundles: string[] = []
  let tip: string | null = null
  return {
    bundles,
    async save() {
      const workSnapshot = await takeWorkSnapshot(worktree, true, { signal })
      if (!workSnapshot) throw new Error("There is nothing to keep.")
      const made = await workSnapshot.commit(tip)
      const file = join(folder, `../../../saved-${bundles.length}`)
      await bundleWorkSnapshot(worktree, { commit: made, since: tip, own: true, file }, { signal })
      bundles.push(file)
      tip = made
      return { tip: made, digest: workSnapshot.digest, leftOut: workSnapshot.leftOut }
    },
  }
}

async function newInner(folder: string): Promise<void> {
  await mkdir(folder)
  plainGit(folder, "init", "--quiet", "--initial-branch=main")
  await write(folder, { "a.txt": "1\n", "b.txt": "b\n" })
  commit(folder)
}

async function* each(files: string[]) {
  yield* files
}

describe("work that was saved and is brought to another machine", () => {
  it("is what it was to the byte: commits that nobody pushed, changes that nobody committed, a merge that waits", async () => {
    await using at = await newRepository({ "a.txt": "1\n2\n3\n", gone: "x\n", "b.txt": "b\n", ".gitignore": "*.log\n" })
    const first = await machine(join(at.folder, "one"), at.repo)
    const saver = createWorkspaceSaver(first)
    const { worktrees, worktree } = first
    await worktrees.create({}, { signal })
    await saver.save()

    // Merged into a branch of the clone, but not pushed.
    await write(worktree.tree, { "merged.txt": "merged\n" })
    expect(await worktrees.merge({ ...merge }, { signal })).toMatchObject({ status: "merged" })
    await saver.save()

    // Two conflicts. One is resolved with a text that neither side has.
    await write(worktree.tree, { "a.txt": "1\nmine\n3\n", "b.txt": "mine\n" })
    await worktrees.commit("mine", { signal })
    const other = join(at.folder, "other")
    plainGit(at.folder, "clone", "--quiet", "--branch", "main", first.repository, other)
    await write(other, { "a.txt": "1\ntheirs\n3\n", "b.txt": "theirs\n" })
    commit(other, "theirs")
    plainGit(other, "push", "--quiet")
    expect(await worktrees.merge({ ...merge }, { signal })).toMatchObject({ status: "conflicts" })
    await worktrees.resolve({ file_path: "a.txt", content: "1\nboth\n3\n", complete: false }, { signal })

    await write(worktree.tree, {
      "new/run": { run: "#!/bin/sh\n" },
      link: { link: "a.txt" },
      gone: null,
      "x.log": "ignored\n",
    })
    plainGit(worktree.tree, "checkout", "--quiet", "-b", "elsewhere")
    plainGit(worktree.tree, "add", "new/run")
    const { tip, digest } = await saver.save()
    const before = await filesIn(worktree.tree)
    const conflicts = await worktrees.conflicts({ signal })
    const refs = plainGit(first.repository, "rev-parse", "main", "switchyard/s")
    expect((await takeWorkSnapshot(worktree, true, { signal }))?.digest).toBe(digest)
    const sizes = await Promise.all(saver.bundles.map(async (file) => (await readFile(file)).length))
    expect(sizes).toHaveLength(3)

    await rm(join(at.folder, "one"), { recursive: true })
    const second = await machine(join(at.folder, "two"), at.repo)
    await restoreWorkSnapshot(
      second.worktree,
      { bundles: each(saver.bundles), tip, own: true, isForked: false },
      { signal },
    )
    const { "x.log": _, ...kept } = before
    expect(await filesIn(second.worktree.tree)).toEqual(kept)
    expect(plainGit(second.repository, "rev-parse", "main", "switchyard/s")).toBe(refs)
    expect(plainGit(second.repository, "for-each-ref", "refs/switchyard/")).toBe("")
    const status = await second.worktrees.status({ signal })
    expect(status).toMatchObject({ exists: true, uncommitted: true, target_branch: "main", merge: { unresolved: 1 } })
    expect(await second.worktrees.conflicts({ signal })).toEqual(conflicts)
    const done = await second.worktrees.resolve({ use: "theirs", complete: true }, { signal })
    expect(done).toMatchObject({ status: "merged" })
    expect(plainGit(second.repository, "show", "main:a.txt")).toBe("1\nboth\n3")
    expect(plainGit(second.repository, "show", "main:b.txt")).toBe("mine")
  })

  it("has its conflict, its staged versions and its stash, and so have the repositories inside it", async () => {
    await using at = await newRepository({ "a.txt": "1\n", "b.txt": "b\n" })
    const lib = join(at.folder, "lib")
    await newInner(lib)
    plainGit(at.repo, ...FILE, "submodule", "--quiet", "add", lib, "lib")
    commit(at.repo, "with a submodule")
    const first = await machine(join(at.folder, "one"), at.repo)
    const saver = createWorkspaceSaver(first)
    const { tree } = first.worktree
    await first.worktrees.create({}, { signal })
    plainGit(tree, ...FILE, "submodule", "--quiet", "update", "--init")
    await newInner(join(tree, "nested"))
    const folders = [tree, join(tree, "lib"), join(tree, "nested")]
    for (const folder of folders) {
      await write(folder, { "b.txt": "put aside\n" })
      plainGit(folder, "stash", "push", "--quiet", "-m", "for later")
      const branch = plainGit(folder, "rev-parse", "--abbrev-ref", "HEAD")
      plainGit(folder, "checkout", "--quiet", "-b", "side")
      await write(folder, { "a.txt": "theirs\n" })
      plainGit(folder, "commit", "--quiet", "--all", "-m", "theirs")
      plainGit(folder, "checkout", "--quiet", ...(branch === "HEAD" ? ["--detach", "HEAD~1"] : [branch]))
      await write(folder, { "a.txt": "ours\n" })
      plainGit(folder, "commit", "--quiet", "--all", "-m", "ours")
      expect(() => plainGit(folder, "merge", "side")).toThrow()
      await write(folder, { "b.txt": "staged\n" })
      plainGit(folder, "add", "b.txt")
      await write(folder, { "b.txt": "changed\n", "new.txt": "new\n" })
    }
    const shown = (root: string) =>
      folders.map((folder) => {
        const cwd = folder.replace(tree, root)
        const asked = [
          "status --porcelain",
          "ls-files --stage",
          "stash list",
          "log --branches --format=%H",
          "diff",
          "rev-parse MERGE_HEAD",
        ]
        return asked.map((each) => plainGit(cwd, ...each.split(" ")))
      })
    const before = shown(tree)
    const { tip, leftOut } = await saver.save()
    expect(leftOut).toEqual([])
    await rm(join(at.folder, "one"), { recursive: true })
    const second = await machine(join(at.folder, "two"), at.repo)
    const save = { bundles: each(saver.bundles), tip, own: true, isForked: false }
    expect(await restoreWorkSnapshot(second.worktree, save, { signal })).toEqual([])
    expect(shown(second.worktree.tree)).toEqual(before)
    // The restored merge is still open, so an ordinary commit is refused.
    await expect(second.worktrees.commit("work", { signal })).rejects.toMatchObject({ details: { operation: "merge" } })
  })

  it("lists the repositories inside it that are too large, and worktrees that were added in it", async () => {
    await using at = await newRepository({ "a.txt": "1\n" })
    const first = await machine(join(at.folder, "one"), at.repo)
    const { tree } = first.worktree
    await first.worktrees.create({}, { signal })
    plainGit(tree, "worktree", "add", "--quiet", "--detach", "linked")
    await write(join(tree, "linked"), { "a.txt": "2\n" })
    await newInner(join(tree, "large"))
    await write(join(tree, "large"), { bytes: randomBytes(101 * 1024 * 1024) })
    commit(join(tree, "large"))
    await rm(join(tree, "large/bytes"))
    const { leftOut } = await createWorkspaceSaver(first).save()
    expect(leftOut).toEqual([
      { path: "large", reason: "too_large" },
      { path: "linked", reason: "worktree" },
    ])
  })

  it("leaves nothing to keep if it is reset or removed without a change", async () => {
    await using at = await newRepository({ "a.txt": "1\n" })
    const { worktrees, ...first } = await machine(join(at.folder, "one"), at.repo)
    const saver = createWorkspaceSaver({ worktrees, ...first })
    await worktrees.create({}, { signal })
    await saver.save()
    expect(await worktrees.reset({ signal })).not.toHaveProperty("kept")
    await saver.save()
    expect(await worktrees.remove({}, { signal })).not.toHaveProperty("kept")
    expect(plainGit(first.repository, "for-each-ref", "refs/switchyard/")).toBe("")
  })

  it("is stored once, whether it was committed by then or not", async () => {
    await using at = await newRepository({ "a.txt": "1\n" })
    const first = await machine(join(at.folder, "one"), at.repo)
    const saver = createWorkspaceSaver(first)
    await first.worktrees.create({}, { signal })
    await write(first.worktree.tree, { "large.txt": randomBytes(100_000).toString("hex") })
    await saver.save()
    await write(first.worktree.tree, { "small.txt": "small\n" })
    await saver.save()
    await first.worktrees.commit("both", { signal })
    const { tip } = await saver.save()
    const [whole = 0, ...later] = await Promise.all(saver.bundles.map(async (file) => (await stat(file)).size))
    expect(whole).toBeGreaterThan(100_000)
    expect(Math.max(...later)).toBeLessThan(10_000)

    const before = await filesIn(first.worktree.tree)
    await rm(join(at.folder, "one"), { recursive: true })
    const second = await machine(join(at.folder, "two"), at.repo)
    await restoreWorkSnapshot(
      second.worktree,
      { bundles: each(saver.bundles), tip, own: true, isForked: false },
      { signal },
    )
    expect(await filesIn(second.worktree.tree)).toEqual(before)
    expect(await second.worktrees.status({ signal })).toMatchObject({ uncommitted: false, ahead: 1 })
  })
})
