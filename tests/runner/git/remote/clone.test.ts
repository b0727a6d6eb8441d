import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { ownFiles } from "@switchyard/runner/files/files"
import { clone, initRepository } from "@switchyard/runner/git/remote/clone"
import { reachDirectly as reach } from "@switchyard/runner/git/remote/remotes"
import { describe, expect, it } from "vitest"
import {
  commit,
  filesIn,
  newRepository,
  open,
  ourGit,
  plainGit,
  plainGitInput,
  signal,
  write,
} from "../repositories.ts"

const merge = { strategy: "squash" as const, delete_worktree: false }

describe("a clone", () => {
  it("has every branch, is worked in, and sends a branch back", async () => {
    await using at = await newRepository()
    plainGit(at.repo, "branch", "release")
    const bare = join(at.folder, "clones/one")
    let said = ""
    const hear = { signal, onProgress: (text: string) => (said += text) }
    await clone(ourGit(), { url: `file://${at.repo}`, reach }, bare, hear)
    expect(said).toContain("Cloning into bare repository")
    // A second clone into the same folder does nothing.
    await clone(ourGit(), { url: "/nowhere", reach }, bare, { signal })

    const worktrees = await open(bare, join(at.folder, "data"), "s1")
    expect(await worktrees.branches({ signal })).toEqual({
      branches: ["main", "release"],
      default: "main",
      current: "main",
    })
    await worktrees.create({ base_branch: "release" }, { signal })
    await write(join(at.folder, "data/tree"), { new: "x\n" })
    expect(await worktrees.merge(merge, { signal })).toMatchObject({
      success: true,
      target_branch: "release",
      checkout: null,
    })
    const pushed = await worktrees.push({ remote: "origin" }, { signal })
    expect(pushed).toMatchObject({ remote: "origin", branch: "release" })
    expect(plainGit(at.repo, "rev-parse", "release")).toBe(pushed.commit)
  })

  it("says that the remote has gone on, or isn't one", async () => {
    await using at = await newRepository()
    const bare = join(at.folder, "clone")
    await clone(ourGit(), { url: at.repo, reach }, bare, { signal })
    plainGit(at.repo, "checkout", "--quiet", "--detach")
    await write(at.repo, { other: "x" })
    plainGit(at.repo, "update-ref", "refs/heads/main", commit(at.repo))
    const worktrees = await open(bare, join(at.folder, "data"), "s1")
    await worktrees.create({}, { signal })
    await write(join(at.folder, "data/tree"), { new: "x\n" })
    await worktrees.merge(merge, { signal })
    await expect(worktrees.push({ remote: "origin" }, { signal })).rejects.toMatchObject({
      code: "push_rejected",
      details: { branch: "main", said: expect.stringContaining("rejected") },
    })
    for (const remote of ["nowhere", "--force", "ext::sh -c 'touch x'", ""]) {
      await expect(worktrees.push({ remote }, { signal })).rejects.toMatchObject({ code: "repository_error" })
    }
    await expect(worktrees.push({ remote: "origin", branch: "--all" }, { signal })).rejects.toMatchObject({
      code: "branch_not_found",
    })
  })

  it("says why its own rules reject a branch", async () => {
    await using at = await newRepository()
    const bare = join(at.folder, "clone")
    await clone(ourGit(), { url: at.repo, reach }, bare, { signal })
    plainGit(at.repo, "checkout", "--quiet", "--detach")
    const rule =
      "#!/bin/sh\necho 'error: GH006: Protected branch update failed.' >&2\necho 'Ask for a review.' >&2\nexit 1\n"
    await write(at.repo, { ".git/hooks/pre-receive": { run: rule } })
    const worktrees = await open(bare, join(at.folder, "data"), "s1")
    await worktrees.create({}, { signal })
    await write(join(at.folder, "data/tree"), { new: "x\n" })
    await worktrees.merge(merge, { signal })
    const said =
      "error: GH006: Protected branch update failed.\nAsk for a review.\n[remote rejected] (pre-receive hook declined)"
    await expect(worktrees.push({ remote: "origin" }, { signal })).rejects.toMatchObject({
      code: "push_rejected",
      details: { branch: "main", said },
    })
  })

  it("is there whole or not at all", async () => {
    await using at = await newRepository()
    const folder = join(at.folder, "clone")
    await mkdir(join(at.folder, "empty"))
    for (const url of [join(at.folder, "empty"), join(at.folder, "missing"), "ext::sh -c 'touch x'"]) {
      await expect(clone(ourGit(), { url, reach }, folder, { signal })).rejects.toMatchObject({
        code: "repository_error",
      })
      expect(await ownFiles.exists(folder)).toBe(false)
    }
  })
})

describe("a pack of a remote's", () => {
  const tree = (repo: string, mode: string, name: string, id: string) => {
    const entry = Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")])
    const asked = ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"]
    return plainGitInput(repo, entry, ...asked)
      .toString()
      .trim()
  }
  const blob = (repo: string, text: string) =>
    plainGitInput(repo, text, "hash-object", "-w", "--stdin").toString().trim()
  /** Points the remote's main at this commit, given in git's format. */
  const serve = (repo: string, commit: string) => {
    const id = plainGitInput(repo, commit, "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
    plainGit(repo, "update-ref", "refs/heads/main", id.toString().trim())
  }
  const commitOf = (id: string, by = "A <a@b> 1700000000 +0000") => `tree ${id}\nauthor ${by}\ncommitter ${by}\n\nx\n`
  const cloneOf = (at: { folder: string; repo: string }) =>
    clone(ourGit(), { url: `file://${at.repo}`, reach }, join(at.folder, "clone"), { signal })

  it.each([".git", ".GIT", "git~1", "..", ".", "a/b", ".g\u200cit"])(
    "is refused with a folder %j in it",
    async (name) => {
      await using at = await newRepository()
      const inside = tree(at.repo, "100644", "config", blob(at.repo, "[core] fsmonitor = touch pwned"))
      serve(at.repo, commitOf(tree(at.repo, "40000", name, inside)))
      await expect(cloneOf(at)).rejects.toMatchObject({
        code: "repository_error",
        message: expect.stringContaining("dangerous"),
      })
      expect(await ownFiles.exists(join(at.folder, "clone"))).toBe(false)
    },
  )

  it.each([
    [
      "a submodule's address that is an option",
      ".gitmodules",
      '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=sh\n',
    ],
    ["a submodule's path that is an option", ".gitmodules", '[submodule "x"]\n\tpath = --x\n\turl = https://h/x\n'],
    [
      "a submodule whose name leads elsewhere",
      ".gitmodules",
      '[submodule "../../hooks"]\n\tpath = x\n\turl = https://h/x\n',
    ],
  ])("is refused with %s", async (_, name, text) => {
    await using at = await newRepository()
    serve(at.repo, commitOf(tree(at.repo, "100644", name, blob(at.repo, text))))
    await expect(cloneOf(at)).rejects.toMatchObject({ code: "repository_error" })
  })

  it("is refused with a link in the place of .gitmodules", async () => {
    await using at = await newRepository()
    serve(at.repo, commitOf(tree(at.repo, "120000", ".gitmodules", blob(at.repo, "elsewhere"))))
    await expect(cloneOf(at)).rejects.toMatchObject({ code: "repository_error" })
  })

  it("is taken with the harmless faults of old programs", async () => {
    await using at = await newRepository()
    const padded = tree(at.repo, "040000", "src", tree(at.repo, "100644", "a", blob(at.repo, "a")))
    serve(at.repo, commitOf(padded, "A<a@b> 1700000000 +051800"))
    await cloneOf(at)
    expect(plainGit(join(at.folder, "clone"), "ls-tree", "-r", "--name-only", "main")).toBe("src/a")
  })
})

it("makes a repository for a workspace, without a file, which a worktree begins from and is merged into", async () => {
  await using at = await newRepository()
  const folder = join(at.folder, "workspace")
  await mkdir(folder)
  await initRepository(ourGit(), folder, { signal })
  expect(plainGit(folder, "ls-tree", "-r", "--name-only", "main")).toBe("")
  const worktrees = await open(folder, join(at.folder, "data"), "s1")
  await worktrees.create({}, { signal })
  const tree = join(at.folder, "data/tree")
  expect(await filesIn(tree)).toEqual({})
  await write(tree, { "a.txt": "a\n" })
  await worktrees.commit("One file\n", { signal })
  expect(await worktrees.merge(merge, { signal })).toMatchObject({ status: "merged", checkout: folder })
  expect(await readFile(join(folder, ".git/HEAD"), "utf8")).toBe("ref: refs/heads/main\n")
})
