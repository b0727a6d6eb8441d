import type { DiffEntry } from "@switchyard/core/files/worktrees/diff-schema"
import { expect, it } from "vitest"
import { marksOf, modeChangeOf } from "../../../../../packages/web/src/features/changes/diff/file-marks.ts"

const entry = (change: Partial<DiffEntry>) =>
  ({ marks: [], old_mode: null, new_mode: null, ...change }) as unknown as DiffEntry

it("names what is special about a changed file, and nothing about a plain one", () => {
  expect(marksOf(entry({}))).toBe("")
  expect(marksOf(entry({ is_new: true, marks: ["generated"] }))).toBe("new, generated")
  expect(marksOf(entry({ is_renamed: true, marks: ["too_large", "not_utf8"] }))).toBe("renamed, too large, not UTF-8")
})

it("says how a file's mode changed, if it did", () => {
  expect(modeChangeOf(entry({ old_mode: "100644", new_mode: "100755" }))).toBe(
    "changed from regular file to executable",
  )
  expect(modeChangeOf(entry({ old_mode: "100644", new_mode: "100644" }))).toBeNull()
  expect(modeChangeOf(entry({ old_mode: null, new_mode: "100755" }))).toBeNull()
  expect(modeChangeOf(entry({ old_mode: "100600", new_mode: "120000" }))).toBe("changed from 100600 to symbolic link")
})
