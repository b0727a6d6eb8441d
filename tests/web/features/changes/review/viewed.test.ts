import type { DiffFile } from "@switchyard/core/files/worktrees/diff-schema"
import { describe, expect, it } from "vitest"
import { createMarks, printOf } from "../../../../../packages/web/src/features/changes/review/viewed.ts"

const file = (content: string, rest: Partial<DiffFile> = {}): DiffFile => ({
  old_path: "a",
  new_path: "a",
  is_new: false,
  is_deleted: false,
  is_renamed: false,
  is_copied: false,
  is_binary: false,
  is_submodule: false,
  old_mode: "100644",
  new_mode: "100644",
  additions: 1,
  deletions: 0,
  marks: [],
  hunks: [
    {
      old_start: 1,
      old_count: 0,
      new_start: 1,
      new_count: 1,
      section: "",
      lines: [{ type: "add", content, new_line: 1 }],
    },
  ],
  ...rest,
})

function createStorage(start: Record<string, string> = {}): Storage {
  const kept = new Map(Object.entries(start))
  return {
    length: kept.size,
    key: () => null,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  }
}

describe("the print of a file's changes", () => {
  it("is the same while the changes are, whatever else happens to the worktree", () => {
    expect(printOf(file("one"), 7)).toBe(printOf(file("one"), 8))
  })

  it("is another for as many other lines", () => {
    expect(printOf(file("one"), 7)).not.toBe(printOf(file("two"), 7))
    expect(printOf(file("one"), 7)).not.toBe(printOf(file("one", { new_mode: "100755" }), 7))
  })

  it("holds no longer than the worktree stands still where there are no lines to tell by", () => {
    const binary = file("", { is_binary: true, hunks: [] })
    expect(printOf(binary, 7)).toBe(printOf(binary, 7))
    expect(printOf(binary, 7)).not.toBe(printOf(binary, 8))
  })

  it("is the same whether a large file came with its lines or without", () => {
    const large = { marks: ["too_large" as const] }
    expect(printOf(file("one", large), 7)).toBe(printOf(file("one", { ...large, hunks: [] }), 7))
  })
})

describe("marks", () => {
  it("are kept for one session, and read again", () => {
    const storage = createStorage()
    createMarks(storage, "one").save({ a: "1" })
    expect(createMarks(storage, "one").read()).toEqual({ a: "1" })
    expect(createMarks(storage, "two").read()).toEqual({})
  })

  it("leave nothing behind when the last one goes", () => {
    const storage = createStorage()
    createMarks(storage, "one").save({ a: "1" })
    createMarks(storage, "one").save({})
    expect(storage.getItem("switchyard.viewed.one")).toBeNull()
  })

  it("are none where something else was written", () => {
    expect(createMarks(createStorage({ "switchyard.viewed.one": "{" }), "one").read()).toEqual({})
    expect(createMarks(createStorage({ "switchyard.viewed.one": '{"a":1}' }), "one").read()).toEqual({})
  })
})
