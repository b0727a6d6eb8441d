import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { Conflicts } from "@switchyard/core/files/worktrees/conflict-schema"
import { describe, expect, it } from "vitest"
import { commit, type Files, filesIn, newRepository, plainGit, plainGitInput, signal, write } from "../repositories.ts"

const merge = { strategy: "squash" as const, delete_worktree: true }
const lines = (count: number, of = "line") => Array.from({ length: count }, (_, index) => `${of} ${index}\n`).join("")

/** Creates a session whose merge stopped at conflicts. */
async function inConflict(base: Files, ours: Files, theirs: Files) {
  const at = await newRepository(base)
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  await write(at.tree(), theirs)
  await write(at.repo, ours)
  commit(at.repo, "ours")
  expect(await worktrees.merge(merge, { signal })).toMatchObject({ status: "conflicts" })
  const conflicts = Conflicts.parse(await worktrees.conflicts({ signal }))
  return { ...at, worktrees, conflicts }
}

const brief = ({ files }: Conflicts) => files.map(({ file_path, kind, related }) => [file_path, kind, ...related])

describe("conflicts", () => {
  it("tell who deleted what the other changed", async () => {
    await using at = await inConflict({ a: "1\n", b: "1\n" }, { a: null, b: "ours\n" }, { a: "theirs\n", b: null })
    expect(brief(at.conflicts)).toEqual([
      ["a", "deleted_by_ours"],
      ["b", "deleted_by_theirs"],
    ])
    expect(at.conflicts.notes.join()).toContain("CONFLICT (modify/delete): a")
    const { content } = await at.worktrees.conflict("a", { signal })
    expect(content).toEqual({ base: "1\n", ours: null, theirs: "theirs\n", merged: null })
    await at.worktrees.resolve({ file_path: "a", delete: true, complete: false }, { signal })
    await at.worktrees.resolve({ file_path: "b", use: "base", complete: true }, { signal })
    expect(await filesIn(at.repo)).toEqual({ b: "file 1\n" })
  })

  it("find the three paths of a file that both renamed", async () => {
    await using at = await inConflict(
      { old: lines(9), kept: "x" },
      { old: null, "here/ours": `${lines(9)}ours\n` },
      { old: null, "there/theirs": `${lines(9)}theirs\n` },
    )
    expect(brief(at.conflicts)).toEqual([
      ["here/ours", "added_by_ours", "old", "there/theirs"],
      ["old", "deleted_by_both", "here/ours", "there/theirs"],
      ["there/theirs", "added_by_theirs", "here/ours", "old"],
    ])
    // Git writes markers into both of its versions. A side must have only its own content.
    expect(await at.worktrees.resolve({ use_incoming: true }, { signal })).toMatchObject({ success: true })
    expect(await filesIn(at.repo)).toEqual({ kept: "file x", "there/": "", "there/theirs": `file ${lines(9)}theirs\n` })
  })

  it("have the regions of a renamed file, and of one that both added", async () => {
    await using at = await inConflict(
      { old: lines(9) },
      { old: lines(9).replace("line 4", "ours"), both: "1\nours\n" },
      { old: null, new: lines(9).replace("line 4", "theirs"), both: { run: "1\ntheirs\n" } },
    )
    expect(brief(at.conflicts)).toEqual([
      ["both", "both_added"],
      ["new", "content"],
    ])
    expect(at.conflicts.files.map(({ hunks }) => hunks)).toMatchObject([
      [{ ours: ["ours"], base: [], theirs: ["theirs"], before: ["1"], after: [] }],
      [{ ours: ["ours"], base: ["line 4"], theirs: ["theirs"] }],
    ])
    await at.worktrees.resolve({ file_path: "both", use: "both", complete: false }, { signal })
    await at.worktrees.resolve({ file_path: "new", hunks: ["theirs"], complete: true }, { signal })
    expect(await filesIn(at.repo)).toMatchObject({
      both: expect.stringContaining("1\nours\ntheirs\n"),
      new: expect.any(String),
    })
    expect(plainGit(at.repo, "status", "--porcelain")).toBe("")
  })

  it("are resolved by side where no text can be merged: binary files, links, submodules, a file against a folder", async () => {
    const binary = (byte: number) => Buffer.from([0, byte, 0, 255])
    const at = await newRepository({ pic: binary(1), link: { link: "a" }, place: "x\n" })
    await using _ = at
    const sub = (folder: string, digit: string) => {
      plainGitInput(folder, `160000 ${digit.repeat(40)}\tsub\n`, "update-index", "--index-info")
      plainGit(folder, "commit", "--quiet", "--message", "sub")
    }
    await mkdir(join(at.repo, "sub"))
    sub(at.repo, "1")
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    sub(at.tree(), "2")
    await write(at.tree(), { pic: binary(2), link: { link: "theirs" }, place: null, "place/inside": "other\n" })
    sub(at.repo, "3")
    await write(at.repo, { pic: binary(3), link: { link: "ours" }, place: "changed\n" })
    plainGit(at.repo, "add", "pic", "link", "place")
    plainGit(at.repo, "commit", "--quiet", "--message", "ours")
    await worktrees.merge(merge, { signal })
    const conflicts = Conflicts.parse(await worktrees.conflicts({ signal }))
    expect(
      conflicts.files.map(({ file_path, is_binary, is_submodule, hunks }) => [
        file_path,
        is_binary,
        is_submodule,
        hunks.length,
      ]),
    ).toEqual([
      ["link", false, false, 0],
      ["pic", true, false, 0],
      ["place~HEAD", false, false, 0],
      ["sub", false, true, 0],
    ])
    const wrong = { file_path: "pic", use: "both" as const, complete: false }
    await expect(worktrees.resolve(wrong, { signal })).rejects.toMatchObject({ code: "invalid_request" })
    expect(await worktrees.resolve({ use: "theirs", complete: true }, { signal })).toMatchObject({ success: true })
    expect(await filesIn(at.repo)).toMatchObject({
      link: "link theirs",
      pic: `file ${binary(2).toString("latin1")}`,
      "place/inside": "file other\n",
    })
    expect(plainGit(at.repo, "rev-parse", "main:sub")).toBe("2".repeat(40))
  })

  it("refuse what doesn't fit them, and say what would", async () => {
    await using at = await inConflict(
      { f: "1\n", g: "1\n" },
      { f: "ours\n", g: null },
      { f: "theirs\n", g: "theirs\n" },
    )
    const refused = (request: Parameters<typeof at.worktrees.resolve>[0]) =>
      expect(at.worktrees.resolve(request, { signal })).rejects
    await refused({ file_path: "f", hunks: [], complete: false }).toMatchObject({ details: { regions: 1 } })
    await refused({ file_path: "g", hunks: ["ours"], complete: false }).toMatchObject({ code: "invalid_request" })
    await refused({ file_path: "other", use: "ours", complete: false }).toMatchObject({ code: "conflict_not_found" })
    expect((await at.worktrees.conflicts({ signal })).unresolved).toBe(2)
    await at.worktrees.resolve({ file_path: "f", use: "ours", complete: false }, { signal })
    // The person chooses again.
    await at.worktrees.resolve({ file_path: "f", content: "better\r\n", complete: false }, { signal })
    const done = await at.worktrees.resolve({ use: "ours", complete: true }, { signal })
    expect(done).toMatchObject({ success: true })
    expect(await filesIn(at.repo)).toEqual({ f: "file better\r\n" })
  })
})
