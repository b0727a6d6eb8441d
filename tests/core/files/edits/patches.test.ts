import { editsIn, withPatches } from "@switchyard/core/files/edits/answer-edits"
import { createEditBlockParser } from "@switchyard/core/files/edits/edit-blocks"
import { describe, expect, it } from "vitest"

/** Returns an answer's applicable edits, the problems of its other edits, and the number of unreadable edits. */
function read(answer: string, options = {}) {
  const { edits, unreadable } = editsIn(answer, options)
  return {
    blocks: edits.flatMap(({ block, problem }) => (problem === undefined ? [block] : [])),
    problems: edits.flatMap(({ block, problem }) => (problem === undefined ? [] : [`${block.path}: ${problem}`])),
    unreadable,
  }
}

const none = { blocks: [], problems: [], unreadable: 0 }
const HUNK = "@@ -1,4 +1,4 @@ function a() {\n one\n-two\n+zwei\n three\n"
const DIFF = `--- a/src/a.ts\n+++ b/src/a.ts\n${HUNK}`
const change = { path: "src/a.ts", oldLines: ["one", "two", "three"], newLines: ["one", "zwei", "three"] }
const fence = (text: string, info = "diff") => `\`\`\`${info}\n${text}\`\`\`\n`
const envelope = (text: string) => `*** Begin Patch\n${text}*** End Patch\n`
const UPDATE = "*** Update File: src/a.ts\n@@ function a() {\n one\n-two\n+zwei\n three\n"

describe("a patch in an answer", () => {
  it.each<[string, string]>([
    ["a diff", fence(DIFF)],
    ["a diff of git", fence(`diff --git a/src/a.ts b/src/a.ts\nindex 1234567..89abcde 100644\n${DIFF}`)],
    ["a diff without a language", fence(DIFF, "")],
    [
      "a diff without prefixes, with times",
      fence(DIFF.replace("a/src/a.ts", "src/a.ts\t2026-01-01").replace("b/src/a.ts", "src/a.ts\t2026-01-02"), "patch"),
    ],
    ["a diff with wrong numbers", fence(DIFF.replace("-1,4 +1,4", "-70,2 +1,9"))],
    ["a diff without numbers", fence(DIFF.replace(/@@ .*\n/, "@@\n"))],
    ["a diff without a hunk's head", fence(DIFF.replace(/@@ .*\n/, ""))],
    ["a diff that ends with empty lines", fence(`${DIFF}\n\n`)],
    ["a diff of Windows", fence(DIFF).replaceAll("\n", "\r\n")],
    ["a patch", envelope(UPDATE)],
    ["a patch in a fence", fence(envelope(UPDATE), "text")],
    ["a patch without a hunk's head", envelope(UPDATE.replace(/@@ .*\n/, ""))],
  ])("is read: %s", (_, patch) => {
    expect(read(`I change it:\n\n${patch}\nDone.`)).toEqual({ ...none, blocks: [change] })
  })

  it("may have several hunks and files, and create files", () => {
    const added = { path: "b.md", oldLines: [], newLines: ["# B", "", "--- c"] }
    const second = { path: "src/a.ts", oldLines: ["x", "", "-- z"], newLines: ["x", "", "y"] }
    const diff = `${DIFF}@@ -9,3 +9,3 @@\n x\n\n--- z\n+y\n\n--- /dev/null\n+++ b/b.md\n@@ -0,0 +1,3 @@\n+# B\n+\n+--- c\n\\ No newline at end of file\n`
    expect(read(fence(diff))).toEqual({ ...none, blocks: [change, second, added] })
    const patch = `${UPDATE}@@\n x\n\n--- z\n+y\n*** Add File: b.md\n+# B\n+\n+--- c\n*** End of File\n`
    expect(read(envelope(patch))).toEqual({ ...none, blocks: [change, second, added] })
  })

  it("keeps a fence that is a line of the file", () => {
    const diff = "--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,3 @@\n ```\n-one\n+two\n ```\n"
    const block = { path: "a.md", oldLines: ["```", "one", "```"], newLines: ["```", "two", "```"] }
    expect(read(fence(diff))).toEqual({ ...none, blocks: [block] })
  })

  it.each<[string, string]>([
    ["deletes a file", fence(DIFF.replace("+++ b/src/a.ts", "+++ /dev/null"))],
    ["renames a file", fence(DIFF.replace("+++ b/src/a.ts", "+++ b/src/b.ts"))],
    ["deletes a file in an envelope", envelope("*** Delete File: src/a.ts\n")],
    ["moves a file", envelope(UPDATE.replace("@@", "*** Move to: src/b.ts\n@@"))],
  ])("is refused with a reason if it %s", (_, patch) => {
    const problem = "src/a.ts: A patch can't delete or rename a file here. Use a git command."
    expect(read(patch)).toEqual({ ...none, problems: [problem] })
  })

  it.each<[string, string]>([
    ["names no file", fence(HUNK)],
    ["has a line without a sign", fence(`${DIFF}four\n`)],
    ["creates a file from old lines", fence(DIFF.replace("a/src/a.ts", "/dev/null"))],
    ["has no hunk", fence("--- a/a.ts\n+++ b/a.ts\n")],
    ["only renames", fence("diff --git a/a.ts b/b.ts\nsimilarity index 100%\nrename from a.ts\nrename to b.ts\n")],
    ["is an envelope without files", envelope("@@\n-a\n+b\n")],
  ])("is counted as unreadable if it %s", (_, patch) => {
    expect(read(`I change it:\n${patch}Done.`)).toEqual({ ...none, unreadable: 1 })
  })

  it.each<[string, string]>([
    ["lines that show a change", fence("- two\n+ zwei\n")],
    ["a quotation", DIFF.replaceAll(/^/gm, "> ")],
    ["indented code", envelope(UPDATE).replaceAll(/^/gm, "    ")],
    ["a thought", `<think>\n${fence(DIFF)}</think>\n`],
    ["a thought without a start", `${fence(DIFF)}</think>\n`],
    ["a fence of another text", fence(`The diff is:\n${DIFF}`, "text")],
    ["a fence in a longer one", `\`\`\`\`md\n${fence(DIFF)}\`\`\`\`\n`],
    ["a fence that never ends", "```diff\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n"],
  ])("isn't read in %s", (_, text) => {
    expect(read(`See:\n${text}\nDone.`)).toEqual(none)
  })

  it("is an illustration beside edit blocks", () => {
    const block = "b.ts\n<<<< EDIT\np\n==== REPLACE\nq\n>>>> EDIT END\n"
    expect(read(`${fence(DIFF)}${block}`)).toMatchObject({ blocks: [{ path: "b.ts" }], unreadable: 0 })
    expect(read(`${block}${envelope(UPDATE)}`)).toMatchObject({ blocks: [{ path: "b.ts" }], unreadable: 0 })
  })

  it("is only shown if the person asked for it", () => {
    for (const answer of [fence(DIFF), fence(HUNK), envelope(UPDATE)]) {
      expect(read(answer, { showsPatches: true })).toEqual(none)
    }
  })

  it("fails if its answer is cut off", () => {
    for (const answer of [`${fence(DIFF)}And\n`, fence(DIFF), `${envelope(UPDATE)}`]) {
      expect(read(answer, { isCut: true })).toMatchObject({
        blocks: [],
        problems: [expect.stringContaining("cut off")],
      })
    }
    expect(read(fence(DIFF).slice(0, -5), { isCut: true })).toEqual(none)
  })

  it("leaves the text around it", () => {
    const answer = `Before.\n${fence(DIFF)}Between.\n${envelope(UPDATE)}After.`
    const parser = createEditBlockParser()
    parser.push(answer)
    const edit = { type: "edit", block: change, isComplete: true }
    expect(withPatches(parser.parts(), answer).parts).toEqual([
      { type: "text", text: "Before." },
      edit,
      { type: "text", text: "Between." },
      edit,
      { type: "text", text: "After." },
    ])
  })
})
