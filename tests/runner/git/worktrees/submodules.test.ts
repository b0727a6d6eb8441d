import { existsSync, readFileSync } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commit, newRepository, plainGit, signal, write } from "../repositories.ts"

const merge = { strategy: "squash" as const, delete_worktree: true }
const FILE = ["-c", "protocol.file.allow=always"]

/** Creates a repository with a submodule `lib`, which contains another submodule, and an agent's worktree with both. */
async function withSubmodule({ initialised = false } = {}) {
  const at = await newRepository()
  const origin = async (name: string) => {
    const folder = join(at.folder, name)
    await mkdir(folder)
    plainGit(folder, "init", "--quiet", "--initial-branch=main")
    await write(folder, { [`${name}.txt`]: "one\n" })
    commit(folder, "begin")
    return folder
  }
  const deep = await origin("deep")
  const lib = await origin("lib")
  plainGit(lib, ...FILE, "submodule", "--quiet", "add", deep, "inner")
  commit(lib, "with another")
  plainGit(at.repo, ...FILE, "submodule", "--quiet", "add", "--name", "the/lib", lib, "lib")
  commit(at.repo, "with a submodule")
  if (initialised) plainGit(at.repo, ...FILE, "submodule", "--quiet", "update", "--init", "--recursive")
  else {
    plainGit(at.repo, "submodule", "--quiet", "deinit", "--all", "--force")
    await rm(join(at.repo, ".git/modules"), { recursive: true })
  }
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  const tree = at.tree()
  plainGit(tree, ...FILE, "submodule", "--quiet", "update", "--init", "--recursive")
  return { at, worktrees, tree, lib, deep }
}

/** Commits in the inner submodule, then in the outer one, then the new pointer. */
async function workInside(tree: string) {
  await write(join(tree, "lib/inner"), { "deep.txt": "two\n" })
  const inner = commit(join(tree, "lib/inner"), "deeper")
  await write(join(tree, "lib"), { "lib.txt": "two\n" })
  const made = commit(join(tree, "lib"), "in the submodule")
  commit(tree, "the new pointer")
  return { made, inner }
}

describe("work in submodules", () => {
  it.each([true, false])(
    "is in the repository's own modules after a merge (initialised there: %s)",
    async (initialised) => {
      const { at: made, worktrees, tree, lib, deep } = await withSubmodule({ initialised })
      await using at = made
      const commits = await workInside(tree)
      const merged = await worktrees.merge(merge, { signal })
      expect(merged).toMatchObject({ status: "merged", worktree_deleted: true })
      expect(merged.message).toContain(`lib (${commits.made.slice(0, 12)}), lib/inner (${commits.inner.slice(0, 12)})`)
      expect(existsSync(tree)).toBe(false)

      // The checkout gets the submodule without contacting its remote.
      plainGit(at.repo, "submodule", "--quiet", "update", "--init", "--recursive")
      expect(readFileSync(join(at.repo, "lib/lib.txt"), "utf8")).toBe("two\n")
      expect(readFileSync(join(at.repo, "lib/inner/deep.txt"), "utf8")).toBe("two\n")
      // After a push, a clone gets the submodule, too.
      plainGit(join(at.repo, "lib/inner"), "push", "--quiet", deep, `${commits.inner}:refs/heads/next`)
      plainGit(join(at.repo, "lib"), "push", "--quiet", lib, `${commits.made}:refs/heads/next`)
      const clone = join(at.folder, "clone")
      plainGit(at.folder, ...FILE, "clone", "--quiet", "--recursive", at.repo, clone)
      expect(readFileSync(join(clone, "lib/inner/deep.txt"), "utf8")).toBe("two\n")
    },
  )

  it("is kept when the worktree is deleted, committed or not, or of a submodule that is gone", async () => {
    const { at: made, worktrees, tree } = await withSubmodule()
    await using at = made
    const commits = await workInside(tree)
    await write(join(tree, "lib"), { "lib.txt": "not committed\n", "new.txt": "new\n" })
    plainGit(join(tree, "lib"), "submodule", "--quiet", "deinit", "--force", "inner")
    const { kept } = await worktrees.remove({}, { signal })
    const found = Object.fromEntries((kept?.inner ?? []).map((each) => [each.path, each]))
    expect(Object.keys(found).sort()).toEqual(["lib", "lib/inner"])
    const { repository = "", ref = "" } = found.lib ?? {}
    expect(repository).toBe(join(at.repo, ".git/modules/the/lib"))
    expect(plainGit(repository, "--work-tree=.", "show", `${ref}:files/lib.txt`)).toBe("not committed")
    expect(plainGit(repository, "--work-tree=.", "show", `${ref}:files/new.txt`)).toBe("new")
    expect(plainGit(repository, "--work-tree=.", "merge-base", ref, commits.made)).toBe(commits.made)
    const inside = found["lib/inner"]
    expect(inside?.commit).toBe(commits.inner)
    expect(plainGit(inside?.repository ?? "", "--work-tree=.", "rev-parse", inside?.ref ?? "")).toBe(commits.inner)
  })

  it("that their remotes have needs no copy, and no warning", async () => {
    const { at: made, worktrees, tree, lib, deep } = await withSubmodule()
    await using at = made
    const commits = await workInside(tree)
    plainGit(join(tree, "lib/inner"), "push", "--quiet", deep, `${commits.inner}:refs/heads/next`)
    plainGit(join(tree, "lib"), "push", "--quiet", lib, `${commits.made}:refs/heads/next`)
    for (const place of ["lib", "lib/inner"]) plainGit(join(tree, place), ...FILE, "fetch", "--quiet")
    expect((await worktrees.merge(merge, { signal })).message).toBe("Merged into main.")
    const clone = join(at.folder, "clone")
    plainGit(at.folder, ...FILE, "clone", "--quiet", "--recursive", at.repo, clone)
    expect(readFileSync(join(clone, "lib/lib.txt"), "utf8")).toBe("two\n")
  })

  it("are checked out in a new worktree from the repository's own modules, without their remotes", async () => {
    const { at: made, worktrees, lib, deep } = await withSubmodule({ initialised: true })
    await using at = made
    await rm(lib, { recursive: true })
    await rm(deep, { recursive: true })
    await worktrees.create({ reset: true }, { signal })
    const tree = at.tree()
    expect(readFileSync(join(tree, "lib/inner/deep.txt"), "utf8")).toBe("one\n")
    expect(plainGit(tree, "status", "--porcelain", "--ignore-submodules=none")).toBe("")
    expect(plainGit(join(tree, "lib"), "rev-parse", "origin/main")).toBe(plainGit(tree, "rev-parse", "HEAD:lib"))
    expect(plainGit(join(tree, "lib"), "config", "remote.origin.url")).toBe(lib)
    expect((await worktrees.remove({}, { signal })).kept).toBeUndefined()
  })

  it("are where they began after a reset, and what was in them is kept", async () => {
    const { at: made, worktrees, tree } = await withSubmodule()
    await using _ = made
    const { made: own } = await workInside(tree)
    await write(tree, { "lib/new.txt": "new\n", "lib/inner/deep.txt": "three\n" })
    const { kept } = await worktrees.reset({ signal })
    expect(kept?.inner.map(({ path }) => path).sort()).toEqual(["lib", "lib/inner"])
    expect(plainGit(tree, "status", "--porcelain", "--ignore-submodules=none")).toBe("")
    expect(readFileSync(join(tree, "lib/inner/deep.txt"), "utf8")).toBe("one\n")
    expect(plainGit(join(tree, "lib"), "rev-parse", "HEAD")).not.toBe(own)
  })

  it("whose commits have a repository without an address are in no merge", async () => {
    const { at, worktrees, tree, lib } = await withSubmodule()
    await using _ = at
    const nested = join(tree, "lib/nested")
    await mkdir(nested)
    plainGit(nested, "init", "--quiet")
    await write(nested, { f: "1" })
    commit(nested)
    const made = commit(join(tree, "lib"), "with a gitlink")
    commit(tree, "the new pointer")
    const refused = { code: "worktree_conflict", details: { files: ["lib/nested"] } }
    await expect(worktrees.merge(merge, { signal })).rejects.toMatchObject(refused)
    expect(existsSync(tree)).toBe(true)
    // Once the submodule's remote has the commit, the merge succeeds.
    plainGit(join(tree, "lib"), "push", "--quiet", lib, `${made}:refs/heads/next`)
    plainGit(join(tree, "lib"), ...FILE, "fetch", "--quiet")
    expect(await worktrees.merge(merge, { signal })).toMatchObject({ status: "merged" })
  })

  it("whose commits are neither here nor known to be on a remote are named by a merge", async () => {
    const { at, worktrees, tree } = await withSubmodule()
    await using _ = at
    const elsewhere = "1".repeat(40)
    plainGit(tree, "submodule", "--quiet", "deinit", "--all", "--force")
    plainGit(tree, "update-index", "--cacheinfo", `160000,${elsewhere},lib`)
    plainGit(tree, "commit", "--quiet", "-m", "a pointer to a commit of others")
    const merged = await worktrees.merge({ ...merge, delete_worktree: false }, { signal })
    expect(merged).toMatchObject({ status: "merged", message: expect.stringContaining("lib (111111111111)") })
  })

  it("that no remote has are in no push, unless it is wanted", async () => {
    const { at: made, worktrees, tree, lib } = await withSubmodule({ initialised: true })
    await using at = made
    const remote = join(at.folder, "remote.git")
    plainGit(at.folder, "init", "--quiet", "--bare", remote)
    plainGit(at.repo, "remote", "add", "origin", remote)
    const commits = await workInside(tree)
    const push = { branch: "switchyard/s1", remote: "origin" }
    const named = [`lib (${commits.made.slice(0, 12)})`]
    const refused = { code: "worktree_conflict", details: { submodules: named } }
    await expect(worktrees.push(push, { signal })).rejects.toMatchObject(refused)
    expect(plainGit(remote, "branch", "--list")).toBe("")
    await worktrees.merge(merge, { signal })
    await expect(worktrees.push({ ...push, branch: "main" }, { signal })).rejects.toMatchObject(refused)
    const pushed = await worktrees.push({ ...push, branch: "main", allow_unpublished: true }, { signal })
    expect(pushed.warning).toContain(named[0])
    // From here on, the remote has the pointer.
    expect(await worktrees.push({ ...push, branch: "main" }, { signal })).not.toHaveProperty("warning")
    plainGit(at.repo, "update-ref", "-d", "refs/remotes/origin/main")
    plainGit(
      join(at.repo, ".git/modules/the/lib"),
      "--work-tree=.",
      "push",
      "--quiet",
      lib,
      `${commits.made}:refs/heads/next`,
    )
    plainGit(join(at.repo, ".git/modules/the/lib"), "--work-tree=.", ...FILE, "fetch", "--quiet", "origin")
    expect(await worktrees.push({ ...push, branch: "main" }, { signal })).not.toHaveProperty("warning")
  })
})
