import { taskBranch, worktreeSlug } from "@switchyard/core/files/worktrees/names"
import { MAIN_WORKTREE, WorktreeName } from "@switchyard/core/files/worktrees/names-schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

/** Short names that often collide, and names that look like another worktree's file. */
const names = fc.oneof(
  fc.stringMatching(/^[ab][ab._-]{0,3}$/),
  fc.stringMatching(/^[ab](\.saved|\.level|-a)?(\.json)?$/),
  fc.constantFrom(MAIN_WORKTREE, "main.", "command"),
)
const suffixes = fc.constantFrom("", ".saved.json", ".level.json", ".json", ".bundle", ".lock")
const files = fc.record({ name: names, suffix: suffixes })

const fileOf = (name: string, suffix: string) => {
  const slug = worktreeSlug(name)
  return `file${slug && `-${slug}`}${suffix}`
}

describe("the name of a worktree in branches and files", () => {
  it("is empty for main, and has no dot for others", () => {
    expect(worktreeSlug("main")).toBe("")
    expect(worktreeSlug("a.saved.json")).toBe("a=saved=json")
    expect(worktreeSlug("v1_x-y")).toBe("v1_x-y")
  })

  it("is no other worktree's, with whatever suffix", () => {
    fc.assert(
      fc.property(files, files, (one, other) => {
        expect([one.name, other.name].every((name) => WorktreeName.safeParse(name).success)).toBe(true)
        const isSame = one.name === other.name && one.suffix === other.suffix
        expect(fileOf(one.name, one.suffix) === fileOf(other.name, other.suffix)).toBe(isSame)
        expect(taskBranch("s", one.name) === taskBranch("s", other.name)).toBe(one.name === other.name)
        const [mine, theirs] = [one.name, other.name].map((name) => taskBranch("s", name, "Add a flag"))
        expect(mine === theirs).toBe(one.name === other.name)
      }),
      { numRuns: 2000 },
    )
  })
})

describe("the branch of a task", () => {
  const id = "eb65a2920944a9ee19cdcc72da783bfb"

  it.each([
    ["Add a --json flag to the list command, with tests", "add-json-flag-list-eb65a292"],
    ["Don't break the Café", "dont-break-cafe-eb65a292"],
    ["internationalization of electroencephalography", "internationalization-eb65a292"],
    ["x".repeat(80), `${"x".repeat(32)}-eb65a292`],
    ["", id],
    ["列出文件", id],
  ])("says what was asked: %s", (title, name) => {
    expect(taskBranch(id, "main", title)).toBe(`switchyard/${name}`)
  })

  it("is a name that git takes, whatever was asked", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (title) => {
        expect(taskBranch(id, "a.b", title)).toMatch(/^switchyard\/[a-z0-9]+(-[a-z0-9]+)*\.a=b$/)
      }),
    )
  })
})
