import { AppError } from "@switchyard/core/errors"
import { parseDiff } from "@switchyard/core/files/worktrees/diff"
import { DiffFile } from "@switchyard/core/files/worktrees/diff-schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const parse = (...lines: string[]) => parseDiff(Buffer.from(`${lines.join("\n")}\n`))

describe("a diff", () => {
  it("takes lines by the hunk's numbers, whatever they look like", () => {
    const [file] = parse(
      "diff --git a/notes b/notes",
      "index 1111111..2222222 100755",
      "--- a/notes",
      "+++ b/notes",
      "@@ -1,4 +1,4 @@ -- section",
      " diff --git a/x b/x",
      "--- a/notes",
      "+++ b/notes",
      "-@@ -1 +1 @@",
      "+diff --git a/y b/y",
      " ",
    )
    expect(file).toMatchObject({ additions: 2, deletions: 2, old_mode: "100755", new_mode: "100755" })
    expect(file?.hunks[0]).toMatchObject({ section: "-- section", old_start: 1, old_count: 4, new_count: 4 })
    expect(file?.hunks[0]?.lines).toEqual([
      { type: "context", content: "diff --git a/x b/x", old_line: 1, new_line: 1 },
      { type: "delete", content: "-- a/notes", old_line: 2 },
      { type: "add", content: "++ b/notes", new_line: 2 },
      { type: "delete", content: "@@ -1 +1 @@", old_line: 3 },
      { type: "add", content: "diff --git a/y b/y", new_line: 3 },
      { type: "context", content: "", old_line: 4, new_line: 4 },
    ])
  })

  it("says of which side a last line has no newline", () => {
    const [file] = parse(
      "diff --git a/n b/n",
      "--- a/n",
      "+++ b/n",
      "@@ -1 +1 @@",
      "-old",
      "\\ No newline at end of file",
      "+new\r",
      "\\ No newline at end of file",
    )
    expect(file?.hunks[0]?.lines.map(({ type, content }) => [type, content])).toEqual([
      ["delete", "old"],
      ["no_newline", "No newline at end of file"],
      ["add", "new\r"],
      ["no_newline", "No newline at end of file"],
    ])
  })

  it("tells what became of a file that has no hunks", () => {
    const files = parse(
      "diff --git a/with space b/with space",
      "old mode 100644",
      "new mode 100755",
      "diff --git a/before b/after b/c",
      "similarity index 100%",
      "rename from before",
      "rename to after b/c",
      "diff --git a/one b/two",
      "similarity index 100%",
      "copy from one",
      "copy to two",
      "diff --git a/empty b/empty",
      "new file mode 100644",
      "index 0000000..e69de29",
      "diff --git a/gone b/gone",
      "deleted file mode 100755",
      "index e69de29..0000000",
    )
    expect(files).toMatchObject([
      { old_path: "with space", new_path: "with space", old_mode: "100644", new_mode: "100755", is_new: false },
      { old_path: "before", new_path: "after b/c", is_renamed: true, is_copied: false },
      { old_path: "one", new_path: "two", is_renamed: false, is_copied: true },
      { old_path: "empty", new_path: "empty", is_new: true, old_mode: null, new_mode: "100644" },
      { old_path: "gone", new_path: "gone", is_deleted: true, old_mode: "100755", new_mode: null },
    ])
  })

  it("reads paths as git quotes them", () => {
    const files = parse(
      'diff --git "a/tab\\there" "b/tab\\there"',
      "old mode 100644",
      "new mode 100755",
      'diff --git "a/\\"q\\" \\\\ \\303\\244\\001" "b/\\"q\\" \\\\ \\303\\244\\001"',
      "new file mode 100644",
      'diff --git "a/back\\\\slash and space" "b/back\\\\slash and space"',
      '--- "a/back\\\\slash and space"\t',
      '+++ "b/back\\\\slash and space"\t',
      "@@ -0,0 +1 @@",
      "+x",
      "diff --git a/sp ace b/sp ace",
      "--- a/sp ace\t",
      "+++ b/sp ace\t",
      "@@ -0,0 +1 @@",
      "+x",
      "diff --git a/ünïcode/日本 b/ünïcode/日本",
      "new file mode 100644",
    )
    expect(files.map((file) => file.new_path)).toEqual([
      "tab\there",
      '"q" \\ ä\u0001',
      "back\\slash and space",
      "sp ace",
      "ünïcode/日本",
    ])
  })

  it("knows binary files, with and without their patch, and submodules", () => {
    const files = parse(
      "diff --git a/b.png b/b.png",
      "index 1..2 100644",
      "Binary files a/b.png and b/b.png differ",
      "diff --git a/c.png b/c.png",
      "index 1..2 100644",
      "GIT binary patch",
      "literal 3",
      "KcmXxU}gXS00961",
      "",
      "literal 0",
      "HcmV?d00001",
      "",
      "diff --git a/sub b/sub",
      "index 1..2 160000",
      "--- a/sub",
      "+++ b/sub",
      "@@ -1 +1 @@",
      "-Subproject commit 1",
      "+Subproject commit 2",
    )
    expect(files).toMatchObject([
      { is_binary: true, additions: null, deletions: null, hunks: [] },
      { is_binary: true, additions: null, deletions: null, hunks: [] },
      { is_submodule: true, additions: 1, deletions: 1 },
    ])
  })

  it("shows bytes that are no UTF-8 as well as it can, and says so", () => {
    const head = "diff --git a/l b/l\n--- a/l\n+++ b/l\n@@ -0,0 +1,2 @@\n"
    const [file] = parseDiff(
      Buffer.concat([Buffer.from(`${head}+gr`), Buffer.from([0xfc, 0xdf]), Buffer.from("\n+é\n")]),
    )
    expect(file?.hunks[0]?.lines.map(({ content }) => content)).toEqual(["gr\ufffd\ufffd", "é"])
    expect(file?.marks).toEqual(["not_utf8"])
  })

  it("refuses the diff of a merge, and whatever doesn't add up", () => {
    const head = ["diff --git a/x b/x", "--- a/x", "+++ b/x"]
    for (const lines of [
      ["diff --cc x", "index 1,2..3", "@@@ -1,1 -1,1 +1,1 @@@", "++x"],
      ["diff --combined x"],
      [...head, "@@ -1,2 +1 @@", "-one", "+one"],
      [...head, "@@ -1 +1 @@", "*one", "+one"],
      [...head, "@@ -1 +0,0 @@", "+one"],
      [...head, "@@ all of it @@"],
    ]) {
      expect(() => parse(...lines), lines.join("\n")).toThrow(expect.objectContaining({ code: "invalid_request" }))
    }
  })

  it("is nothing where nothing changed", () => {
    expect(parseDiff(new Uint8Array())).toEqual([])
    expect(parse("0123456789abcdef0123456789abcdef01234567")).toEqual([])
  })

  it("reads any text back out of any hunks", () => {
    const content = fc.oneof(
      fc.constantFrom(
        "-- x",
        "++ x",
        "-",
        "+",
        "@@ -1 +1 @@",
        "diff --git a/a b/a",
        "--- a/a",
        "+++ b/a",
        "",
        "\\ No",
        "\r",
      ),
      fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", "")),
    )
    const type = fc.constantFrom("context", "add", "delete")
    const hunk = fc.array(fc.record({ type, content, last: fc.boolean() }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(fc.array(fc.array(hunk, { maxLength: 4 }), { maxLength: 4 }), (files) => {
        const written = files.map((hunks, index) => {
          const head = `diff --git a/${index} b/${index}\n--- a/${index}\n+++ b/${index}\n`
          return head + hunks.map((lines) => writeHunk(lines)).join("")
        })
        const parsed = parseDiff(Buffer.from(written.join("")))
        expect(
          parsed.map(({ hunks }) => hunks.map(({ lines }) => lines.map(({ type, content }) => [type, content]))),
        ).toEqual(files.map((hunks) => hunks.map((lines) => lines.flatMap(expectedLines))))
        for (const file of parsed) DiffFile.parse(file)
      }),
      { numRuns: 300 },
    )
  })

  it("ends with files or with a refusal, whatever the bytes are", () => {
    const line = fc.constantFrom(
      "diff --git a/x b/x",
      'diff --git "a/x" "b',
      "diff --git ",
      "--- a/x",
      "+++ /dev/null",
      "@@ -1 +1 @@",
      "@@ -99999999999999999999 +1,3 @@",
      "+x",
      "-x",
      " x",
      "",
      "\\",
      "GIT binary patch",
      "literal 1",
      "Binary files a and b differ",
      'rename from "\\',
      "index 1..2 160000",
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string({ unit: "binary" })), { maxLength: 20 }), (lines) => {
        try {
          for (const file of parse(...lines)) DiffFile.parse(file)
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          expect(error.code).toBe("invalid_request")
        }
      }),
      { numRuns: 2000 },
    )
  })
})

interface Line {
  type: string
  content: string
  /** True if git's remark about a missing newline follows. */
  last: boolean
}

const SIGNS: Record<string, string> = { context: " ", add: "+", delete: "-" }

function writeHunk(lines: Line[]): string {
  const count = (other: string) => lines.filter(({ type }) => type !== other).length
  const text = lines.map(({ type, content, last }) => `${SIGNS[type]}${content}\n${last ? "\\ No newline\n" : ""}`)
  return `@@ -1,${count("add")} +1,${count("delete")} @@\n${text.join("")}`
}

function expectedLines({ type, content, last }: Line): [string, string][] {
  return last
    ? [
        [type, content.toWellFormed()],
        ["no_newline", "No newline"],
      ]
    : [[type, content.toWellFormed()]]
}
