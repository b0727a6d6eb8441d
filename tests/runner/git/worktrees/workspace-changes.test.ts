import { rename, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createWorkspaceStore } from "@switchyard/core/files/workspaces/blob-store"
import { applyChanges } from "@switchyard/core/files/workspaces/changes"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import type { Manifest } from "@switchyard/core/files/workspaces/manifest"
import { emptyManifest } from "@switchyard/core/files/workspaces/tree-model"
import {
  type FileCache,
  type Limits,
  listFiles,
  workspaceChanges,
} from "@switchyard/runner/git/worktrees/workspace-changes"
import { describe, expect, it } from "vitest"
import { newStage, SID } from "../../../core/files/workspaces/stage.ts"
import { seeded } from "../../../faults/random.ts"
import { asGit, commit, newRepository, ourGit, plainGit, signal, write } from "../repositories.ts"

async function told(tree: string, manifest: Manifest, limits?: Limits, seen: FileCache = new Map(), git = ourGit()) {
  const paths = await listFiles(git, { tree }, { signal })
  return workspaceChanges(git, { tree, paths, manifest, seen, limits }, { signal })
}

/** Creates a session whose workspace follows the files of the worktree. */
async function newMirror(tree: string) {
  const stage = await newStage()
  const seen: FileCache = new Map()
  return {
    async bring() {
      const { session, workspace } = await stage.session.catchUp({ signal })
      const store = createWorkspaceStore(stage.blobs, { sid: SID, incarnation: session.incarnation })
      const manifest = await store.readManifest(workspace.manifest, { signal })
      const { changes, leftOut } = await told(tree, manifest, undefined, seen)
      await commitChanges(stage, stage.session, changes, { signal })
      await stage.session.catchUp({ signal })
      const files = await openWorkspace(stage, stage.session, { signal })
      const after = await store.readManifest(stage.session.state.workspace.manifest, { signal })
      const texts = (await files.readAllTexts({ signal })).files
      return {
        changes,
        leftOut,
        manifest: after,
        texts: Object.fromEntries(texts.map(({ path, text }) => [path, text])),
      }
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  }
}

describe("a workspace", () => {
  it("has one of two files whose names differ only in their Unicode form, and keeps that one", async () => {
    await using at = await newRepository({ a: "1\n" })
    await using mirror = await newMirror(at.repo)
    await write(at.repo, { "\u00e9": "first\n" })
    await mirror.bring()
    await write(at.repo, { "e\u0301": "twin\n", "e\u0301x/aux.c": "device\n" })
    const { texts, leftOut } = await mirror.bring()
    expect(texts).toEqual({ a: "1\n", "\u00e9": "first\n" })
    expect(leftOut).toMatchObject([
      { path: "e\u0301", reason: "path", detail: expect.stringContaining("Unicode form") },
      { path: "e\u0301x/aux.c", reason: "path", detail: expect.stringContaining("device name") },
    ])
  })

  it("has what a worktree has: edits, modes, new files, and none that are gone or ignored", async () => {
    await using at = await newRepository({
      a: "1\n",
      "b/c": "2\n",
      "b/d": "3\n",
      run: { run: "#!/bin/sh\n" },
      ".gitignore": "*.log\n",
    })
    await using mirror = await newMirror(at.repo)
    expect((await mirror.bring()).texts).toEqual({
      ".gitignore": "*.log\n",
      a: "1\n",
      "b/c": "2\n",
      "b/d": "3\n",
      run: "#!/bin/sh\n",
    })
    expect((await mirror.bring()).changes).toEqual([])

    await write(at.repo, {
      a: { run: "1\n" },
      b: "a file now",
      new: "4\n",
      "x.log": "ignored",
      run: null,
      "e/f/g": "5\n",
    })
    const { texts, changes, manifest } = await mirror.bring()
    expect(texts).toEqual({ ".gitignore": "*.log\n", a: "1\n", b: "a file now", new: "4\n", "e/f/g": "5\n" })
    expect(manifest.files.find(({ path }) => path === "a")?.mode).toBe(0o755)
    expect(changes.map(({ op, path }) => `${op} ${path}`)).toEqual([
      "delete b",
      "delete run",
      "write a",
      "write b",
      "write e/f/g",
      "write new",
    ])

    await write(at.repo, { e: null, b: null, "b/again": "6\n" })
    const back = await mirror.bring()
    expect(back.texts).toEqual({ ".gitignore": "*.log\n", a: "1\n", "b/again": "6\n", new: "4\n" })
    expect(back.manifest.folders).toEqual([])
  })

  it("says what it leaves out, and why", async () => {
    await using at = await newRepository({ kept: "x" })
    await write(at.repo, {
      link: { link: "/etc/passwd" },
      large: "x".repeat(101),
      "back\\slash": "x",
      "a:b.txt": "x",
      con: "x",
      z1: "x".repeat(60),
      z2: "x".repeat(60),
    })
    await writeFile(Buffer.from(`${at.repo}/\xff`, "latin1"), "x")
    plainGit(at.repo, "worktree", "add", "--quiet", "-b", "side", "other")
    const { changes, leftOut } = await told(at.repo, emptyManifest, { fileBytes: 100, totalBytes: 100 })
    expect(changes.map(({ path }) => path)).toEqual(["kept", "z1"])
    expect(leftOut.map(({ path, reason, detail = "" }) => `${path}: ${reason} ${detail}`.trim())).toEqual([
      'a:b.txt: path its path begins with "a:", which is a drive on Windows',
      "back\\slash: path its path contains a backslash",
      'con: path its path has a "con" segment, which is a device name on Windows',
      "large: too_large",
      "link: link",
      "other/: worktree",
      "z2: no_room",
      "\ufffd: path its path isn't valid UTF-8",
    ])
  })

  it("never holds what lies outside, however an agent moves its folders", async () => {
    await using at = await newRepository({ "folder/secret": "mine\n" })
    await write(at.folder, { "outside/secret": "not yours\n" })
    const git = ourGit()
    const seen: FileCache = new Map()
    const swapping = asGit(async (args, call) => {
      const answer = await git(args, call)
      // Replace the folder after its files are listed and before they are read.
      await rename(join(at.repo, "folder"), join(at.folder, "moved"))
      await symlink(join(at.folder, "outside"), join(at.repo, "folder"))
      return answer
    })
    const { changes, leftOut } = await told(at.repo, emptyManifest, undefined, seen, swapping)
    expect(changes).toEqual([])
    expect(leftOut).toEqual([{ path: "folder/secret", reason: "unreadable" }])
  })

  it("loses what the repository has as it is, and is told that from what was deleted", async () => {
    const texts = { a: "1\n", "b/c": "2\n", "b/d": "3\n", e: "4\n" }
    await using at = await newRepository(texts)
    await using mirror = await newMirror(at.repo)
    await write(at.repo, { ...texts, own: "5\n" })
    const { manifest } = await mirror.bring()
    const base = commit(at.repo)
    await rm(join(at.repo, "e"))
    await rm(join(at.repo, "own"))
    const git = ourGit()
    const paths = await listFiles(git, { tree: at.repo, base }, { signal })
    const { changes } = await workspaceChanges(
      git,
      { tree: at.repo, paths, manifest, base: async () => base, seen: new Map() },
      { signal },
    )
    expect(paths).toEqual([])
    expect(changes).toEqual([
      { op: "delete", path: "a", recursive: true, inRepository: true },
      { op: "delete", path: "b", recursive: true, inRepository: true },
      { op: "delete", path: "e", recursive: true },
      { op: "delete", path: "own", recursive: true },
    ])
  })

  it("is the worktree after any number of changes", async () => {
    await using at = await newRepository({ start: "x\n" })
    await using mirror = await newMirror(at.repo)
    const random = seeded(5)
    const names = ["a", "b", "a/x", "a/y/z", "b/x", "c", "c/x/y", "d"]
    const wanted = new Map([["start", "x\n"]])
    for (let round = 0; round < 25; round++) {
      for (let count = random.between(1, 4); count > 0; count--) {
        const path = random.pick(names)
        for (const other of [...wanted.keys()]) {
          if (other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) {
            wanted.delete(other)
            await rm(join(at.repo, other), { force: true })
          }
        }
        await rm(join(at.repo, path), { recursive: true, force: true })
        if (random.next() < 0.3) continue
        const content = `${random.between(0, 3)}\n`
        wanted.set(path, content)
        await write(at.repo, { [path]: content })
      }
      if (random.next() < 0.3) commit(at.repo)
      const { texts, manifest } = await mirror.bring()
      expect(texts, `round ${round}`).toEqual(Object.fromEntries(wanted))
      expect(applyChanges(manifest, []).manifest).toEqual(manifest)
    }
  })
})
