import { spawnSync } from "node:child_process"
import { chmod, mkdtemp, readFile, rm, stat, utimes } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commit, type Files, filesIn, leftovers, newRepository, plainGit, signal, write } from "../repositories.ts"

/** Sets attributes of files. Even root can't change a file with the attribute `i`. */
const CHATTR = "chattr"
const merge = { strategy: "squash" as const, delete_worktree: true }

/** Creates a repository and a session's worktree with work to merge. */
async function withWork(base: Files, work: Files) {
  const at = await newRepository(base)
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  await write(at.tree(), work)
  return { ...at, worktrees }
}

describe("a checkout that comes along", () => {
  it("has its files as the new attributes say, and whole for git", async () => {
    await using at = await withWork(
      { ".gitattributes": "*.dos text eol=lf\n", "a.dos": "1\n", "b.dos": "1\n" },
      { ".gitattributes": "*.dos text eol=crlf\n", "a.dos": "1\n2\n", "c.dos": "3\n" },
    )
    await at.worktrees.merge(merge, { signal })
    expect(await filesIn(at.repo)).toMatchObject({ "a.dos": "file 1\r\n2\r\n", "c.dos": "file 3\r\n" })
    expect(plainGit(at.repo, "status", "--porcelain")).toBe("")
    expect(plainGit(at.repo, "cat-file", "blob", "main:c.dos")).toBe("3")
  })

  it("keeps what git was told not to look at", async () => {
    await using at = await withWork(
      { assumed: "1\n", skipped: "1\n", other: "1\n" },
      { assumed: "2\n", skipped: "2\n" },
    )
    plainGit(at.repo, "update-index", "--assume-unchanged", "assumed")
    plainGit(at.repo, "update-index", "--skip-worktree", "skipped")
    await write(at.repo, { assumed: "mine\n", skipped: "mine\n" })
    const details = { files: ["assumed", "skipped"] }
    await expect(at.worktrees.merge(merge, { signal })).rejects.toMatchObject({ code: "merge_blocked", details })
    expect(plainGit(at.repo, "ls-files", "-v").split("\n")).toEqual(["h assumed", "H other", "S skipped"])
    await write(at.repo, { assumed: "1\n", skipped: "1\n" })
    expect(await at.worktrees.merge(merge, { signal })).toMatchObject({ success: true })
    expect(await filesIn(at.repo)).toMatchObject({ assumed: "file 2\n", skipped: "file 2\n" })
  })

  it("keeps what is staged, half of a file's changes too", async () => {
    await using at = await withWork({ f: "1\n", g: "1\n" }, { g: "2\n" })
    await write(at.repo, { f: "staged\n", added: "staged\n" })
    plainGit(at.repo, "add", "--all")
    await write(at.repo, { f: "edited\n" })
    plainGit(at.repo, "add", "--intent-to-add", "added")
    await at.worktrees.merge(merge, { signal })
    expect(plainGit(at.repo, "status", "--porcelain").split("\n")).toEqual(["A  added", "MM f"])
    expect(plainGit(at.repo, "show", ":f")).toBe("staged")
    expect(await filesIn(at.repo)).toEqual({ added: "file staged\n", f: "file edited\n", g: "file 2\n" })
  })

  it("isn't mistaken for changed where only times are other", async () => {
    await using at = await withWork({ f: "1\n" }, { f: "2\n" })
    await utimes(join(at.repo, "f"), 1, 1)
    expect(await at.worktrees.merge(merge, { signal })).toMatchObject({ success: true })
  })

  it("never has anything written through a link of its user's", async () => {
    await using at = await withWork({ f: "1\n" }, { "folder/file": "theirs\n" })
    await write(at.folder, { "elsewhere/kept": "mine\n" })
    await write(at.repo, { folder: { link: "../elsewhere" } })
    const details = { files: ["folder"] }
    await expect(at.worktrees.merge(merge, { signal })).rejects.toMatchObject({ code: "merge_blocked", details })
    expect(await filesIn(join(at.folder, "elsewhere"))).toEqual({ kept: "file mine\n" })
  })

  it("may be any checkout of the repository, wherever it lies", async () => {
    const disk = await mkdtemp("/dev/shm/checkout-").catch(() => mkdtemp(join(tmpdir(), "checkout-")))
    try {
      await using at = await withWork({ f: "1\n", gone: "1\n" }, { f: "2\n", gone: null, "new/x": "x\n" })
      plainGit(at.repo, "checkout", "--quiet", "-b", "mine")
      plainGit(at.repo, "worktree", "add", "--quiet", join(disk, "main"), "main")
      await write(join(disk, "main"), { notes: "mine\n" })
      const before = await filesIn(at.repo)
      const result = await at.worktrees.merge({ ...merge, target_branch: "main" }, { signal })
      expect(result).toMatchObject({ success: true, checkout: join(disk, "main") })
      expect(await filesIn(join(disk, "main"))).toEqual({
        f: "file 2\n",
        "new/": "",
        "new/x": "file x\n",
        notes: "file mine\n",
      })
      expect(plainGit(join(disk, "main"), "status", "--porcelain")).toBe("?? notes")
      expect(await filesIn(at.repo)).toEqual(before)
      expect(await leftovers(at.repo)).toEqual([])
    } finally {
      await rm(disk, { recursive: true })
    }
  })

  it("is left alone while git is in the middle of something there", async () => {
    await using at = await withWork({ f: "1\n2\n3\n", g: "1\n" }, { g: "2\n" })
    plainGit(at.repo, "branch", "other")
    await write(at.repo, { f: "ours\n2\n3\n" })
    commit(at.repo)
    plainGit(at.repo, "checkout", "--quiet", "other")
    await write(at.repo, { f: "theirs\n2\n3\n" })
    commit(at.repo)
    plainGit(at.repo, "checkout", "--quiet", "main")
    spawnSync("git", ["-c", "user.name=x", "-c", "user.email=x", "merge", "other"], { cwd: at.repo })
    const before = await filesIn(at.repo)
    const blocked = { code: "merge_blocked", details: { checkout: at.repo } }
    await expect(at.worktrees.merge(merge, { signal })).rejects.toMatchObject(blocked)
    // Leave a conflict without a merge, like `git stash apply`.
    await rm(join(at.repo, ".git/MERGE_HEAD"))
    await expect(at.worktrees.merge(merge, { signal })).rejects.toMatchObject(blocked)
    expect(await filesIn(at.repo)).toEqual(before)
    expect(await leftovers(at.repo)).toEqual([])
  })

  it("is refused where the branch is checked out twice, and ignored where it is gone", async () => {
    await using at = await withWork({ f: "1\n" }, { f: "2\n" })
    const second = join(at.folder, "second")
    plainGit(at.repo, "worktree", "add", "--quiet", "--force", second, "main")
    await expect(at.worktrees.merge(merge, { signal })).rejects.toMatchObject({
      code: "merge_blocked",
      details: { checkouts: [at.repo, second] },
    })
    await rm(second, { recursive: true })
    plainGit(at.repo, "checkout", "--quiet", "--detach")
    expect(await at.worktrees.merge(merge, { signal })).toMatchObject({ success: true, checkout: null })
  })

  it("is as it was where a file can't be put in its place", async () => {
    const isRoot = process.getuid?.() === 0
    await using at = await withWork({ "a/f": "1\n", "z/f": "1\n" }, { "a/f": "2\n", "z/f": "2\n", "a/new": "x\n" })
    const place = join(at.repo, "z")
    const lock = (on: boolean) =>
      isRoot ? spawnSync(CHATTR, [on ? "+i" : "-i", place]).status === 0 : chmod(place, on ? 0o555 : 0o755)
    if ((await lock(true)) === false) return
    try {
      const before = await filesIn(at.repo)
      const inode = (await stat(join(at.repo, "a/f"))).ino
      const index = await readFile(join(at.repo, ".git/index"))
      await expect(at.worktrees.merge(merge, { signal })).rejects.toMatchObject({ code: "merge_blocked" })
      expect(await filesIn(at.repo)).toEqual(before)
      expect((await stat(join(at.repo, "a/f"))).ino).toBe(inode)
      expect(await readFile(join(at.repo, ".git/index"))).toEqual(index)
      expect(await leftovers(at.repo)).toEqual([])
    } finally {
      await lock(false)
    }
  })

  it("is as it was where git is killed while it writes files", async () => {
    await using at = await withWork({ ".gitattributes": "z filter=dies\n", a: "1\n", z: "1\n" }, { a: "2\n", z: "2\n" })
    await at.worktrees.commit("work", { signal })
    await write(at.repo, { mine: "not committed\n" })
    const before = await filesIn(at.repo)
    // Git also runs the filter in the scratch worktree. Only in the checkout does the filter kill git.
    const smudge = `case "$PWD" in */merge) cat;; *) kill -9 $PPID;; esac`
    plainGit(at.repo, "config", "filter.dies.smudge", smudge)
    plainGit(at.repo, "config", "filter.dies.clean", "cat")
    await expect(at.worktrees.merge(merge, { signal })).rejects.toMatchObject({ code: "git_error" })
    expect(await filesIn(at.repo)).toEqual(before)
    expect(plainGit(at.repo, "status", "--porcelain")).toBe("?? mine")
    expect(await leftovers(at.repo)).toEqual([])
    plainGit(at.repo, "config", "--remove-section", "filter.dies")
    expect(await at.worktrees.merge(merge, { signal })).toMatchObject({ success: true })
    expect(await filesIn(at.repo)).toMatchObject({ a: "file 2\n", z: "file 2\n", mine: "file not committed\n" })
  })

  it("keeps an ignored file where one of its name comes", async () => {
    await using at = await withWork(
      { ".gitignore": "*.log\n" },
      { ".gitignore": "*.log\n!kept.log\n", "kept.log": "theirs\n" },
    )
    await write(at.repo, { "kept.log": "mine\n" })
    const details = { files: ["kept.log"] }
    await expect(at.worktrees.merge(merge, { signal })).rejects.toMatchObject({ code: "merge_blocked", details })
    expect(await filesIn(at.repo)).toMatchObject({ "kept.log": "file mine\n" })
  })
})
