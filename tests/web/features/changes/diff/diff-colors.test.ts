import type { DiffHunk } from "@switchyard/core/files/worktrees/diff-schema"
import { expect, it } from "vitest"
import { createDiffColors } from "../../../../../packages/web/src/features/changes/diff/diff-colors.ts"
import { loadLineColors } from "../../../../../packages/web/src/features/files/editor/line-colors.ts"

const hunkAt = (start: number, removed: string, added: string): DiffHunk => ({
  ...{ old_start: start, old_count: 2, new_start: start, new_count: 2, section: "" },
  lines: [
    { type: "context", content: "const same = 1", old_line: start, new_line: start },
    { type: "delete", content: removed, old_line: start + 1 },
    { type: "add", content: added, new_line: start + 1 },
  ],
})

it("colours each side of a hunk as its own text, once, when one of its lines is drawn", async () => {
  const colors = await loadLineColors("typescript")
  const texts: string[][] = []
  const hunks = [hunkAt(1, "/* open", "return 2"), hunkAt(10, "let a", "let b")]
  const of = createDiffColors(hunks, (lines) => {
    texts.push([...lines])
    return colors(lines)
  })
  expect(texts).toEqual([])
  expect(of("old", 2)).toEqual([[0, 7, "text-ink-3 italic"]])
  expect(of("new", 2)?.[0]).toEqual([0, 6, "text-info"])
  expect(of("new", 1)?.[0]).toEqual([0, 5, "text-info"])
  expect(of("new", 11)?.[0]).toEqual([0, 3, "text-info"])
  expect(texts).toHaveLength(3)
  expect(of("old", null)).toBeUndefined()
  expect(of("new", 5)).toBeUndefined()
})

it("has no colours before the language is loaded", () => {
  expect(createDiffColors([hunkAt(1, "a", "b")], null)("new", 1)).toBeUndefined()
})
