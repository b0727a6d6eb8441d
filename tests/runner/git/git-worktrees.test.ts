import { mkdir, readFile, rm, symlink } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commit, filesIn, leftovers, newRepository, plainGit, signal, write } from "./repositories.ts"

const merge = { strategy: "squash" as const, delete_worktree: true }

describe("a worktree", () => {
  it("is made on a branch of its own, and isn't seen in the repository", async () => {
    await using at = await newRepository()
    const worktrees = await at.open()
    expect(await worktrees.status({ signal })).toMatchObject({ exists: false, path: null, branch: null, merge: null })
    const status = await worktrees.create({}, { signal })
    const head = plainGit(at.repo, "rev-parse", "HEAD")
    expect(status).toMatchObject({ exists: true, path: at.tree(), branch: "switchyard/s1", base_commit: head })
    expect(status).toMatchObject({ has_changes: false, target_branch: "main", behind: 0, ahead: 0 })
    expect(plainGit(at.repo, "status", "--porcelain", "--ignored")).toBe("")
    expect(await worktrees.branches({ signal })).toEqual({ branches: ["main"], default: "main", current: "main" })
    expect(await leftovers(at.repo)).toEqual([])
  })

  it("is made again where git still knows it, in a folder behind a link, though all its files are gone", async () => {
    await using at = await newRepository()
    await mkdir(join(at.folder, "real"))
    await symlink("real", join(at.folder, "data"))
    await (await at.open("s0")).create({}, { signal })
    await (await at.open()).create({}, { signal })
    await rm(join(at.folder, "real/s1"), { recursive: true })
    expect(await (await at.open()).create({}, { signal })).toMatchObject({ created: true, has_changes: false })
    expect(plainGit(at.repo, "worktree", "list").split("\n")).toHaveLength(3)
  })

  it("begins at the commit that was agreed on, though the branch has moved since", async () => {
    await using at = await newRepository()
    const worktrees = await at.open()
    const agreed = plainGit(at.repo, "rev-parse", "HEAD")
    await write(at.repo, { other: "theirs" })
    commit(at.repo)
    const asked: string[] = []
    const pinBase = async (head: string) => {
      asked.push(head)
      return agreed
    }
    const status = await worktrees.create({}, { pinBase, signal })
    expect([asked, status.base_commit]).toEqual([[plainGit(at.repo, "rev-parse", "HEAD")], agreed])
    expect(await filesIn(at.tree())).not.toHaveProperty("other")
    // An existing worktree keeps its base.
    expect(await worktrees.create({}, { pinBase, signal })).toMatchObject({ created: false, base_commit: agreed })
    expect(asked).toHaveLength(1)
  })

  it("answers a repeated merge as the first one, as long as the branch has it and there is no other worktree", async () => {
    await using at = await newRepository()
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { "a.txt": "merged\n" })
    const first = await worktrees.merge(merge, { signal })
    expect(first).toMatchObject({ status: "merged", worktree_deleted: true })
    // Another process asks again, as if the first one had died before its answer arrived.
    const next = await at.open()
    expect(await next.merge(merge, { signal })).toEqual(first)
    const missing = { code: "worktree_not_found" }
    await expect(next.merge({ ...merge, target_branch: "other" }, { signal })).rejects.toMatchObject(missing)
    await next.undo({}, { signal })
    await expect(next.merge(merge, { signal })).rejects.toMatchObject(missing)
    plainGit(at.repo, "merge", "--quiet", first.commit ?? "")
    await next.create({}, { signal })
    await next.remove({}, { signal })
    await expect(next.merge(merge, { signal })).rejects.toMatchObject(missing)
  })

  it("merges all work into the branch that is checked out, which comes along", async () => {
    await using at = await newRepository()
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { "a.txt": "one\ntwo\nTHREE\n", "new/file": { run: "#!/bin/sh\n" } })
    expect(await worktrees.status({ signal })).toMatchObject({ has_changes: true, uncommitted: true })
    await write(at.repo, { "mine.txt": "not committed" })

    const result = await worktrees.merge({ ...merge, commit_message: "  As I say\n\n# it\n" }, { signal })
    expect(result).toMatchObject({ success: true, status: "merged", checkout: at.repo, worktree_deleted: true })
    expect(plainGit(at.repo, "log", "--format=%B", "-1", "main")).toBe("As I say\n\n# it")
    expect(plainGit(at.repo, "cat-file", "commit", "main")).toContain("\n\n  As I say\n\n# it")
    expect(plainGit(at.repo, "rev-parse", "main")).toBe(result.commit)
    expect(plainGit(at.repo, "status", "--porcelain")).toBe("?? mine.txt")
    expect(await filesIn(at.repo)).toEqual({
      "a.txt": "file one\ntwo\nTHREE\n",
      "mine.txt": "file not committed",
      "new/": "",
      "new/file": "run #!/bin/sh\n",
    })
    expect(plainGit(at.repo, "branch", "--list", "--format=%(refname:short)")).toBe("main")
    expect(plainGit(at.repo, "worktree", "list").split("\n")).toHaveLength(1)
    expect(await leftovers(at.repo)).toEqual([])
    expect(await worktrees.status({ signal })).toMatchObject({ exists: false })
  })

  it("goes on after a merge with what is new only", async () => {
    await using at = await newRepository({ f: "1\n2\n3\n4\n5\n" })
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { f: "1\n2\nthree\n4\n5\n" })
    expect(await worktrees.merge({ ...merge, delete_worktree: false }, { signal })).toMatchObject({ success: true })
    await write(at.repo, { other: "theirs" })
    commit(at.repo)
    expect(await worktrees.status({ signal })).toMatchObject({ has_changes: false, behind: 1 })
    // The same line changes again, without a conflict with the merged change.
    await write(at.tree(), { f: "1\n2\nTHREE\n4\n5\n" })
    expect((await worktrees.diff({}, { signal })).files).toMatchObject([{ new_path: "f", additions: 1, deletions: 1 }])
    expect(await worktrees.merge({ ...merge, delete_worktree: false }, { signal })).toMatchObject({ success: true })
    expect(await readFile(join(at.repo, "f"), "utf8")).toBe("1\n2\nTHREE\n4\n5\n")
    expect(plainGit(at.repo, "rev-list", "--count", "main")).toBe("4")
    expect(await worktrees.merge(merge, { signal })).toMatchObject({ success: false, status: "nothing_to_merge" })
  })

  it("refuses where the checkout has changes of its own in the files that the merge touches", async () => {
    await using at = await newRepository({ a: "a\n", b: "b\n", c: "c\n" })
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { a: "A\n", b: "B\n", fresh: "new", "folder/ignored": "new" })
    await worktrees.commit("all of it", { signal })
    await write(at.repo, {
      a: "mine\n",
      c: "mine\n",
      fresh: "mine",
      "folder/ignored": "mine",
      ".git/info/exclude": "ignored\n",
    })
    const before = await filesIn(at.repo)
    const head = plainGit(at.repo, "rev-parse", "main")
    await expect(worktrees.merge(merge, { signal })).rejects.toMatchObject({
      code: "merge_blocked",
      details: { checkout: at.repo, files: ["a", "folder/ignored", "fresh"] },
    })
    expect(await filesIn(at.repo)).toEqual(before)
    expect(plainGit(at.repo, "rev-parse", "main")).toBe(head)
    expect(await leftovers(at.repo)).toEqual([])

    await write(at.repo, { a: "a\n", fresh: null, folder: null })
    expect(await worktrees.merge(merge, { signal })).toMatchObject({ success: true })
    expect(await filesIn(at.repo)).toMatchObject({ a: "file A\n", c: "file mine\n", fresh: "file new" })
    expect(plainGit(at.repo, "status", "--porcelain")).toBe("M c")
  })

  it("shows conflicts region by region, and merges what was chosen", async () => {
    const lines = (...changes: Record<number, string>[]) =>
      Array.from({ length: 20 }, (_, i) => Object.assign({}, ...changes)[i + 1] ?? `${i + 1}`).join("\n")
    await using at = await newRepository({ f: `${lines()}\n`, gone: "x\n", both: "b\n" })
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { f: `${lines({ 3: "three", 17: "seventeen" })}`, gone: null, both: "theirs\n" })
    await write(at.repo, { f: `${lines({ 3: "III", 17: "XVII", 10: "X" })}\n`, gone: "changed\n", both: "ours\n" })
    const ours = commit(at.repo, "ours")

    const result = await worktrees.merge({ ...merge, commit_message: "Chosen" }, { signal })
    expect(result).toMatchObject({ success: false, status: "conflicts" })
    expect(result.conflicts).toMatchObject([
      { file_path: "both", kind: "content", resolved: false },
      {
        file_path: "f",
        kind: "content",
        hunks: [
          { index: 0, ours: ["III"], base: ["3"], theirs: ["three"], before: ["1", "2"], after: ["4", "5", "6"] },
          { index: 1, ours: ["XVII"], base: ["17"], theirs: ["seventeen"] },
        ],
      },
      { file_path: "gone", kind: "deleted_by_theirs", theirs: null, hunks: [] },
    ])
    expect(plainGit(at.repo, "rev-parse", "main")).toBe(ours)
    expect(plainGit(at.repo, "status", "--porcelain")).toBe("")
    expect(await worktrees.status({ signal })).toMatchObject({ merge: { files: 3, unresolved: 3, direction: "merge" } })
    await expect(worktrees.merge(merge, { signal })).rejects.toMatchObject({ code: "worktree_conflict" })
    await expect(worktrees.complete({}, { signal })).rejects.toMatchObject({
      details: { files: ["both", "f", "gone"] },
    })

    const one = await worktrees.conflict("f", { signal })
    expect(one.content?.merged).toContain("<<<<<<< ours\nIII\n||||||| base\n3\n=======\nthree\n>>>>>>> theirs\n")
    await worktrees.resolve({ file_path: "f", hunks: ["both", { lines: ["17 or so"] }], complete: false }, { signal })
    await worktrees.resolve({ file_path: "gone", use: "theirs", complete: false }, { signal })
    expect((await worktrees.conflicts({ signal })).files.map(({ resolved }) => resolved)).toEqual([false, true, true])
    const done = await worktrees.resolve({ file_path: "both", content: "mine\n", complete: true }, { signal })
    expect(done).toMatchObject({ success: true, status: "merged", checkout: at.repo })
    expect(await filesIn(at.repo)).toEqual({
      both: "file mine\n",
      f: `file ${lines({ 3: "III\nthree", 17: "17 or so", 10: "X" })}`,
    })
    expect(plainGit(at.repo, "log", "-1", "--format=%B")).toBe("Chosen")
    expect(await leftovers(at.repo)).toEqual([])
  })

  it("takes one side for every file, or gives up, as it is told", async () => {
    await using at = await newRepository({ f: "1\n", g: "1\n" })
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { f: "theirs\n", g: "theirs\n" })
    await write(at.repo, { f: "ours\n", g: "ours\n" })
    const ours = commit(at.repo)
    expect(await worktrees.abort({ signal })).toMatchObject({ success: false, status: "no_merge" })
    await worktrees.merge({ ...merge, commit_message: "Kept" }, { signal })
    expect(await worktrees.abort({ signal })).toMatchObject({ success: true, status: "aborted" })
    expect(plainGit(at.repo, "rev-parse", "main")).toBe(ours)
    expect(await worktrees.status({ signal })).toMatchObject({ merge: null, has_changes: true })
    await worktrees.merge({ ...merge, commit_message: "Kept" }, { signal })
    expect(await worktrees.resolve({ use_incoming: true }, { signal })).toMatchObject({ success: true })
    expect(await filesIn(at.repo)).toEqual({ f: "file theirs\n", g: "file theirs\n" })
    expect(plainGit(at.repo, "log", "-1", "--format=%s")).toBe("Kept")
  })

  it("brings the target branch into the work", async () => {
    await using at = await newRepository({ f: "1\n2\n3\n" })
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { mine: "x", f: "1\n2\nmine\n" })
    await write(at.repo, { yours: "y" })
    commit(at.repo)
    expect(await worktrees.status({ signal })).toMatchObject({ behind: 1 })
    expect(await worktrees.update({}, { signal })).toMatchObject({
      success: true,
      status: "merged",
      checkout: at.tree(),
    })
    expect(await filesIn(at.tree())).toEqual({ mine: "file x", yours: "file y", f: "file 1\n2\nmine\n" })
    expect(await worktrees.status({ signal })).toMatchObject({ behind: 0, uncommitted: false, has_changes: true })
    expect((await worktrees.diff({}, { signal })).files.map((file) => file.new_path)).toEqual(["f", "mine"])
    await write(at.repo, { f: "1\n2\nyours\n" })
    commit(at.repo)
    const conflict = await worktrees.update({}, { signal })
    expect(conflict.conflicts?.[0]?.hunks).toMatchObject([{ ours: ["mine"], theirs: ["yours"] }])
    expect(await worktrees.resolve({ use: "ours", complete: true }, { signal })).toMatchObject({ success: true })
    expect(await worktrees.status({ signal })).toMatchObject({ behind: 0, uncommitted: false })
  })

  it("is reset to where the work began, and deleted with its branch", async () => {
    await using at = await newRepository({ "a.txt": "one\n", ".gitignore": "kept\n" })
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { "a.txt": "x", new: "y", kept: "z" })
    await worktrees.commit("one", { signal })
    await write(at.tree(), { "b/c": "x" })
    plainGit(at.tree(), "checkout", "--quiet", "-b", "elsewhere")
    await worktrees.reset({ signal })
    expect(await filesIn(at.tree())).toEqual({ ".gitignore": "file kept\n", "a.txt": "file one\n", kept: "file z" })
    expect(await worktrees.status({ signal })).toMatchObject({ has_changes: false, uncommitted: false })
    expect(await worktrees.remove({}, { signal })).toMatchObject({ deleted: true })
    expect(await worktrees.remove({}, { signal })).toMatchObject({ deleted: false })
    expect(plainGit(at.repo, "branch", "--format=%(refname:short)").split("\n")).toEqual(["elsewhere", "main"])
    await expect(worktrees.merge(merge, { signal })).rejects.toMatchObject({ code: "worktree_not_found" })
  })
})
