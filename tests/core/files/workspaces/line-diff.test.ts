import { execFileSync } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { diffTexts } from "@switchyard/core/files/workspaces/line-diff"
import { parseDiff } from "@switchyard/core/files/worktrees/diff"
import type { DiffHunk } from "@switchyard/core/files/worktrees/diff-schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const line = fc.constantFrom("a", "b", "c", "", "  x", "a\r")
const text = fc
  .tuple(fc.array(line, { maxLength: 40, size: "large" }), fc.boolean())
  .map(([lines, ended]) => lines.join("\n") + (ended && lines.length > 0 ? "\n" : ""))

describe("a diff of two texts", () => {
  it("turns the one into the other, with as few changed lines as git has", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = diffTexts(before, after)
        expect(patched(before, hunks)).toBe(after)
        expect(hunks.length === 0).toBe(before === after)
        expect(changedLines(hunks)).toBe(linesOf(before).length + linesOf(after).length - 2 * common(before, after))
      }),
      { numRuns: 400 },
    )
  })

  it("has git's line numbers, context and missing newlines", async () => {
    const folder = await mkdtemp(join(tmpdir(), "line-diff-"))
    try {
      const numbered = Array.from({ length: 60 }, (_, at) => `line ${at}`)
      const changed = numbered.with(3, "three").with(30, "thirty").toSpliced(40, 1).concat("more")
      const cases = [
        ["", "a\nb\n"],
        ["a\n", ""],
        ["a", "a\n"],
        [numbered.join("\n"), changed.join("\n")],
        [`${numbered.join("\n")}\n`, changed.join("\n")],
      ] as const
      for (const [before, after] of cases) {
        await Promise.all([writeFile(join(folder, "a"), before), writeFile(join(folder, "b"), after)])
        const [file] = parseDiff(gitDiff(folder))
        expect(diffTexts(before, after)).toEqual(file?.hunks.map((hunk) => ({ ...hunk, section: "" })))
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it("is one large hunk if nearly everything changed", () => {
    const before = Array.from({ length: 5000 }, (_, at) => `old ${at}\n`).join("")
    const after = Array.from({ length: 5000 }, (_, at) => `new ${at}\n`).join("")
    const hunks = diffTexts(`same\n${before}end\n`, `same\n${after}end\n`)
    expect(hunks).toHaveLength(1)
    expect(patched(`same\n${before}end\n`, hunks)).toBe(`same\n${after}end\n`)
  })
})

function gitDiff(cwd: string): Buffer {
  try {
    return execFileSync("git", ["diff", "--no-index", "--no-color", "a", "b"], { cwd })
  } catch (error) {
    return (error as { stdout: Buffer }).stdout
  }
}

const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

function patched(before: string, hunks: DiffHunk[]): string {
  const old = linesOf(before)
  let at = 0
  let result = ""
  for (const { old_start, old_count, lines } of hunks) {
    const from = old_count === 0 ? old_start : old_start - 1
    result += old.slice(at, from).join("")
    lines.forEach(({ type, content }, index) => {
      if (type === "add" || type === "context") {
        result += content + (lines[index + 1]?.type === "no_newline" ? "" : "\n")
      }
    })
    at = from + old_count
  }
  return result + old.slice(at).join("")
}

function changedLines(hunks: DiffHunk[]): number {
  return hunks.flatMap(({ lines }) => lines).filter(({ type }) => type === "add" || type === "delete").length
}

/** Returns the length of the longest common subsequence of lines, with the textbook algorithm. */
function common(before: string, after: string): number {
  const [a, b] = [linesOf(before), linesOf(after)]
  let row = new Array(b.length + 1).fill(0)
  for (const one of a) {
    const next = [0]
    for (const [at, other] of b.entries()) {
      next.push(one === other ? row[at] + 1 : Math.max(row[at + 1], next[at] ?? 0))
    }
    row = next
  }
  return row.at(-1)
}
