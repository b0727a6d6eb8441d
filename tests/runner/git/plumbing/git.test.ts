import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createGit } from "@switchyard/runner/git/plumbing/create-git"
import { describe, expect, it } from "vitest"
import { commit, filesIn, newRepository, open, ourGit, PATH, plainGit, signal, write } from "../repositories.ts"

const merge = { strategy: "squash" as const, delete_worktree: true }

describe("git", () => {
  it("answers the same under a configuration that was made to be in the way", async () => {
    await using at = await newRepository({ "a b": "1\n2\n3\n", ü: "x\n" })
    const home = join(at.folder, "home")
    const trap = join(home, "trap")
    await mkdir(home)
    await writeFile(trap, `#!/bin/sh\necho sprung >> '${home}/sprung'\nexit 1\n`)
    await chmod(trap, 0o755)
    await mkdir(join(home, "hooks"))
    for (const hook of [
      "pre-commit",
      "post-checkout",
      "pre-merge-commit",
      "reference-transaction",
      "post-index-change",
    ]) {
      await writeFile(join(home, "hooks", hook), await readFile(trap))
      await chmod(join(home, "hooks", hook), 0o755)
    }
    await writeFile(
      join(home, ".gitconfig"),
      `[core]\n quotePath = true\n hooksPath = ${home}/hooks\n fsmonitor = ${trap}\n editor = ${trap}\n pager = ${trap}\n safecrlf = true\n
[color]\n ui = always\n[diff]\n noprefix = true\n external = ${trap}\n renames = false\n context = 0\n orderFile = ${home}/none\n mnemonicPrefix = true\n
[commit]\n gpgSign = true\n verbose = true\n[gpg]\n program = ${trap}\n[merge]\n conflictStyle = zdiff3\n ff = only\n renames = false\n log = true\n
[rerere]\n enabled = true\n autoUpdate = true\n[status]\n short = true\n branch = true\n showUntrackedFiles = no\n[push]\n default = nothing\n
[user]\n name = Someone\n email = some@example.org\n[log]\n showSignature = true\n date = relative\n`,
    )
    const worktrees = await at.open("s1", { env: { PATH, HOME: home }, userConfig: true })
    await worktrees.create({}, { signal })
    await write(at.tree(), { "a b": null, "c d": "1\n2\n3\n4\n", ü: "y\n", fresh: "f\r\n" })
    const { files } = await worktrees.fullDiff({}, { signal })
    expect(files).toMatchObject([
      { old_path: "a b", new_path: "c d", is_renamed: true, additions: 1, deletions: 0 },
      { new_path: "fresh", is_new: true, additions: 1 },
      { new_path: "ü", additions: 1, deletions: 1 },
    ])
    expect(files[0]?.hunks[0]?.lines).toHaveLength(4)
    expect(await worktrees.status({ signal })).toMatchObject({ uncommitted: true, has_changes: true })
    await write(at.repo, { ü: "z\n" })
    commit(at.repo)
    expect(await worktrees.merge(merge, { signal })).toMatchObject({ status: "conflicts" })
    expect(await worktrees.resolve({ use_incoming: true }, { signal })).toMatchObject({ success: true })
    expect(await filesIn(at.repo)).toEqual({ "c d": "file 1\n2\n3\n4\n", fresh: "file f\r\n", ü: "file y\n" })
    // The committer comes from the repository's configuration.
    expect(plainGit(at.repo, "log", "-1", "--format=%an <%ae>")).toBe("Someone <some@example.org>")
    await expect(readFile(join(home, "sprung"))).rejects.toMatchObject({ code: "ENOENT" })
  })

  it("knows nobody's configuration unless it is meant to", async () => {
    await using at = await newRepository()
    const home = join(at.folder, "home")
    await write(home, {
      ".gitconfig": "[user]\n name = Someone\n email = s@example.org\n",
      ".config/git/ignore": "*.log\n",
    })
    const names: Record<string, string[]> = {}
    for (const userConfig of [true, false]) {
      const worktrees = await at.open("s1", { env: { PATH, HOME: home }, userConfig })
      await worktrees.create({}, { signal })
      await write(at.tree(), { "x.log": "x", y: "y" })
      names[`${userConfig}`] = (await worktrees.diff({}, { signal })).files.map(({ new_path }) => new_path)
      await worktrees.commit("one", { signal })
      names[`${userConfig}`]?.push(plainGit(at.tree(), "log", "-1", "--format=%an"))
    }
    expect(names).toEqual({ true: ["y", "Someone"], false: ["x.log", "y", "Switchyard"] })
  })

  it("ends with all that it started when it is told to", async () => {
    await using at = await newRepository()
    const bin = join(at.folder, "bin")
    await write(bin, {
      git: { run: `#!/bin/sh\nsleep 1000 &\necho $! > '${at.folder}/child'\necho ready >&2\nwait\n` },
    })
    const stop = new AbortController()
    const git = createGit({ env: { PATH: `${bin}:${PATH}` } })
    const running = git(["status"], {
      cwd: at.repo,
      signal: stop.signal,
      onProgress: () => stop.abort(new Error("enough")),
    })
    await expect(running).rejects.toThrow("enough")
    const child = Number(await readFile(join(at.folder, "child"), "utf8"))
    await expect.poll(() => isAlive(child)).toBe(false)
    await expect(git(["status"], { cwd: at.repo, signal: stop.signal })).rejects.toThrow("enough")
  })

  it("is stopped where it prints without end, and says where it isn't there", async () => {
    await using at = await newRepository({ large: "x".repeat(1_000_000) })
    const show = ourGit()(["show", "HEAD:large"], { cwd: at.repo, maxBytes: 10_000, signal })
    await expect(show).rejects.toMatchObject({ code: "git_error", message: expect.stringContaining("10000 bytes") })
    const nowhere = createGit({ env: { PATH: "/nonexistent" } })
    await expect(nowhere(["status"], { cwd: at.repo, signal })).rejects.toMatchObject({ code: "git_error" })
    await expect(ourGit()(["status"], { cwd: "/nonexistent", signal })).rejects.toMatchObject({ code: "git_error" })
    await expect(at.open("s1")).resolves.toBeDefined()
    await expect(open(at.folder, at.folder, "s1")).rejects.toMatchObject({ code: "repository_error" })
    await expect(open("/nonexistent", at.folder, "s1")).rejects.toMatchObject({ code: "repository_error" })
  })
})

/** A zombie counts as dead: its parent just hasn't reaped it yet. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "Z")
  return !/\) Z|^Z$/.test(stat)
}
