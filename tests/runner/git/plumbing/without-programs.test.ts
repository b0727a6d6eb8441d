import { identity } from "@switchyard/runner/git/plumbing/snapshot"
import {
  describeFailed,
  type FailedProgram,
  withoutFailingPrograms,
} from "@switchyard/runner/git/plumbing/without-programs"
import { describe, expect, it } from "vitest"
import { asGit, commit, filesIn, newRepository, ourGit, plainGit, signal, write } from "../repositories.ts"

const missing = "/nonexistent/git-lfs"

const MERGE = ["merge", "--no-ff", "--no-commit", "--quiet", "other"]

/** Filters whose program is missing: their settings, and the command that the error names. */
const FILTERS: Record<string, [settings: Record<string, string>, command: string]> = {
  "a required one": [{ clean: `${missing} clean`, smudge: `${missing} smudge`, required: "true" }, `${missing} clean`],
  "one that isn't required": [{ clean: `${missing} clean`, smudge: `${missing} smudge` }, `${missing} clean`],
  "a required one for many files": [
    { process: `${missing} filter-process`, clean: `${missing} clean`, required: "true" },
    `${missing} filter-process`,
  ],
  "one for many files that says nothing git knows": [{ process: "echo no", required: "true" }, "echo no"],
}

describe("a filter whose program is missing", () => {
  it.each(Object.entries(FILTERS))("leaves files as they are, and is named: %s", async (_, [settings, command]) => {
    await using at = await newRepository({ ".gitattributes": "*.big filter=big.er\n", "a.big": "pointer\n" })
    for (const [name, value] of Object.entries(settings)) plainGit(at.repo, "config", `filter.big.er.${name}`, value)
    const failed: FailedProgram[] = []
    const git = withoutFailingPrograms(ourGit(), (filter) => failed.push(filter))
    const call = { cwd: at.repo, signal }
    await write(at.repo, { "a.big": null })
    await git(["reset", "--quiet", "--hard"], call)
    expect(await filesIn(at.repo)).toMatchObject({ "a.big": "file pointer\n" })
    expect(failed.map(({ name }) => name)).toContain("big.er")
    await write(at.repo, { "a.big": "changed\n" })
    await git(["add", "--all"], call)
    expect(plainGit(at.repo, "show", ":a.big")).toBe("changed")
    expect(failed.map((each) => each.command)).toContain(command)
  })

  it.each(["process", "smudge"])("doesn't stop a merge that brings new files: %s", async (kind) => {
    await using at = await newRepository({ ".gitattributes": "*.big filter=big\n", "a.txt": "one\n" })
    plainGit(at.repo, "checkout", "--quiet", "-b", "other")
    await write(at.repo, { "a0.txt": "new\n", "a.txt": "two\n", "m.big": "pointer\n", "z.txt": "new\n" })
    commit(at.repo)
    plainGit(at.repo, "checkout", "--quiet", "main")
    await write(at.repo, { "b.txt": "ours\n" })
    commit(at.repo)
    plainGit(at.repo, "config", `filter.big.${kind}`, `${missing} ${kind}`)
    plainGit(at.repo, "config", "filter.big.required", "true")
    const git = withoutFailingPrograms(ourGit(), () => {})
    const { code } = await git(MERGE, { cwd: at.repo, env: identity(), accept: [1], signal })
    expect([code, plainGit(at.repo, "diff", "--cached", "--name-only")]).toEqual([0, "a.txt\na0.txt\nm.big\nz.txt"])
    expect(await filesIn(at.repo)).toMatchObject({ "m.big": "file pointer\n", "a.txt": "file two\n" })
  })

  it("is no reason for other failures to be tried again", async () => {
    await using at = await newRepository()
    plainGit(at.repo, "config", "filter.big.clean", "cat")
    let calls = 0
    const plain = ourGit()
    const counted = asGit((...given) => {
      calls++
      return plain(...given)
    })
    const git = withoutFailingPrograms(counted, () => {})
    await expect(git(["rev-parse", "--verify", "nothing"], { cwd: at.repo, signal })).rejects.toThrow("rev-parse")
    expect(calls).toBe(1)
  })
})

describe("a merge driver whose program is missing", () => {
  it.each(["is merged as text", "conflicts as text does"])("is named, and each of its files %s", async (how) => {
    const lines = ["1", "2", "3", "4", "5", "6", "7"]
    const text = (at: number, line: string) => `${lines.with(at, line).join("\n")}\n`
    await using at = await newRepository({ ".gitattributes": "*.txt merge=fancy\n", "a.txt": text(0, "1") })
    plainGit(at.repo, "checkout", "--quiet", "-b", "other")
    await write(at.repo, { "a.txt": text(6, "theirs") })
    commit(at.repo)
    plainGit(at.repo, "checkout", "--quiet", "main")
    const isApart = how === "is merged as text"
    await write(at.repo, { "a.txt": text(isApart ? 0 : 6, "ours") })
    commit(at.repo)
    plainGit(at.repo, "config", "merge.fancy.driver", `${missing} %O %A %B`)
    const failed: FailedProgram[] = []
    const git = withoutFailingPrograms(ourGit(), (program) => failed.push(program))
    const { code } = await git(MERGE, { cwd: at.repo, env: identity(), accept: [1], signal })
    expect(code).toBe(isApart ? 0 : 1)
    const merged = isApart ? "file ours\n2\n3\n4\n5\n6\ntheirs\n" : expect.stringContaining("<<<<<<< ours\nours\n")
    expect(await filesIn(at.repo)).toMatchObject({ "a.txt": merged })
    expect(failed).toMatchObject([{ kind: "merge driver", name: "fancy", isMissing: true }])
    expect(failed.map(describeFailed)).toEqual([expect.stringContaining(`${missing} isn't installed here`)])
  })
})
