import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { markerSize, parseRegions, resolveRegions } from "@switchyard/core/files/worktrees/conflict-markers"
import { afterAll, describe, expect, it } from "vitest"
import { seeded } from "../../../faults/random.ts"
import { cases } from "../../../settings.ts"

/** Number of merges. Each starts three processes, which is slow from a process with many modules. */
const MERGES = cases({ usual: 40, deep: 600 })

const folder = mkdtempSync(join(tmpdir(), "regions-"))
afterAll(() => rmSync(folder, { recursive: true }))

const LINES = [
  "<<<<<<< HEAD",
  "=======",
  ">>>>>>> x",
  "||||||| base",
  "<<<<<<<<<<",
  "==========",
  "",
  "}",
  "a",
  "b",
  "c",
  "\r",
]

function mergeFile(...args: string[]): string {
  const { stdout, status } = spawnSync("git", ["merge-file", "-p", ...args, "ours", "base", "theirs"], { cwd: folder })
  expect(status).toBeLessThan(128)
  return stdout.toString("latin1")
}

function texts(seed: number) {
  const random = seeded(seed)
  const end = random.pick(["\n", "\n", "\r\n"])
  const lines = Array.from({ length: random.between(0, 14) }, (_, index) =>
    random.pick([...LINES, `${index}`, `${index}`]),
  )
  const version = () => {
    const changed = [...lines]
    for (let count = random.between(0, 3); count > 0; count--) {
      const added = Array.from({ length: random.between(0, 2) }, () => random.pick(LINES))
      changed.splice(random.between(0, changed.length), random.between(0, 2), ...added)
    }
    const text = changed.map((line) => line + end).join("")
    return random.next() < 0.3 ? text.slice(0, -end.length) : text
  }
  return { ours: version(), base: version(), theirs: version() }
}

describe("the regions of a conflict", () => {
  it("make git's own result with one side for all of them, whatever the texts hold", () => {
    let conflicts = 0
    for (let seed = 0; seed < MERGES; seed++) {
      const sides = texts(seed)
      for (const [name, text] of Object.entries(sides)) writeFileSync(join(folder, name), text, "latin1")
      const size = markerSize(Object.values(sides))
      const segments = parseRegions(mergeFile("--zdiff3", `--marker-size=${size}`), size, sides)
      const count = segments.filter(({ type }) => type === "conflict").length
      conflicts += count
      for (const side of ["ours", "theirs"] as const) {
        expect(resolveRegions(segments, Array(count).fill(side)), `seed ${seed}`).toBe(mergeFile(`--${side}`))
      }
    }
    expect(conflicts).toBeGreaterThan(MERGES / 2)
  })

  it("are resolved by lines of one's own, and by both sides", () => {
    const sides = { ours: "1\nours", base: "1\nbase", theirs: "1\ntheirs" }
    const merged = "1\n<<<<<<<< ours\nours\n|||||||| base\nbase\n========\ntheirs\n>>>>>>>> theirs\n"
    const segments = parseRegions(merged, 8, sides)
    expect(segments).toEqual([
      { type: "agreed", lines: ["1\n"] },
      { type: "conflict", ours: ["ours"], base: ["base"], theirs: ["theirs"] },
    ])
    expect(resolveRegions(segments, ["both"])).toBe("1\nours\ntheirs")
    expect(resolveRegions(segments, ["base"])).toBe("1\nbase")
    expect(resolveRegions(segments, [{ lines: ["mine", "all mine"] }])).toBe("1\nmine\nall mine\n")
  })
})
