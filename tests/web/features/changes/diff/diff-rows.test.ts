import { parseDiff } from "@switchyard/core/files/worktrees/diff"
import { describe, expect, it } from "vitest"
import { headsOf, splitRows, unifiedRows } from "../../../../../packages/web/src/features/changes/diff/diff-rows.ts"

const patch = `diff --git a/a.ts b/a.ts
index 1111111..2222222 100644
--- a/a.ts
+++ b/a.ts
@@ -3,4 +3,5 @@ function first()
 kept
-old one
-old two
+new one
+new two
+new three
 kept too
@@ -20,0 +22,1 @@
+only added
@@ -30,1 +32,1 @@
-end
\\ No newline at end of file
+end
`
const hunks = parseDiff(Buffer.from(patch)).flatMap((file) => file.hunks)

describe("rows of a diff", () => {
  it("have every line once, with its own numbers", () => {
    const lines = unifiedRows(hunks).flatMap((row) => (row.type === "line" ? [row] : []))
    expect(lines.map(({ kind, old, new: now, text }) => [kind, old, now, text])).toEqual([
      ["context", 3, 3, "kept"],
      ["delete", 4, null, "old one"],
      ["delete", 5, null, "old two"],
      ["add", null, 4, "new one"],
      ["add", null, 5, "new two"],
      ["add", null, 6, "new three"],
      ["context", 6, 7, "kept too"],
      ["add", null, 22, "only added"],
      ["delete", 30, null, "end"],
      ["add", null, 32, "end"],
    ])
  })

  it("say how many unchanged lines stand between hunks, also where one removes nothing", () => {
    const heads = unifiedRows(hunks).flatMap((row) => (row.type === "hunk" ? [[row.skipped, row.section]] : []))
    // The hunks cover lines 1 and 2, 7 to 20, and 21 to 29.
    expect(heads).toEqual([
      [2, "function first()"],
      [14, ""],
      [9, ""],
    ])
  })

  it("put what is removed next to what comes in its place", () => {
    const pairs = splitRows(hunks).flatMap((row) =>
      row.type === "pair" ? [[row.left?.text ?? null, row.right?.text ?? null]] : [],
    )
    expect(pairs).toEqual([
      ["kept", "kept"],
      ["old one", "new one"],
      ["old two", "new two"],
      [null, "new three"],
      ["kept too", "kept too"],
      [null, "only added"],
      ["end", "end"],
    ])
  })

  it("know which side ends without a newline", () => {
    expect(splitRows(hunks).at(-1)).toMatchObject({ left: { ends: true }, right: { ends: false } })
    expect(unifiedRows(hunks).slice(-2)).toMatchObject([{ ends: true }, { ends: false }])
  })

  it("tell where their hunks begin", () => {
    expect(headsOf(unifiedRows(hunks))).toEqual([0, 8, 10])
    expect(headsOf(splitRows(hunks))).toEqual([0, 6, 8])
  })
})
