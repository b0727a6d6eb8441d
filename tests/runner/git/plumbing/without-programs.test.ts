import { type FailedProgram, withoutFailingPrograms } from "@switchyard/runner/git/plumbing/without-programs"
import { describe, expect, it } from "vitest"
import { asGit, filesIn, newRepository, ourGit, plainGit, signal, write } from "../repositories.ts"

const missing = "/nonexistent/git-lfs"

/** Settings of filters, and whether git itself would go on without them. */
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
