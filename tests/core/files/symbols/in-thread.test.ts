import { parseCommandInThread } from "@switchyard/core/agents/permissions/in-thread"
import { factsInThread, outlineInThread } from "@switchyard/core/files/symbols/in-thread"
import { checkFileInThread } from "@switchyard/core/work/checks/in-thread"
import { expect, it } from "vitest"

/** A text of 99 KB that aborts the parser library. After an abort, the library parses no other text. */
const ABORTING = `${"/*a ".repeat(110)}\n`.repeat(224)

it("reads the next file after a text that aborts the parser", async () => {
  expect(await factsInThread("a.py", ABORTING)).toBeUndefined()
  expect(await factsInThread("a.ts", "export function f() {}\n")).toMatchObject({ symbols: [{ name: "f" }] })
  expect(await outlineInThread("a.py", ABORTING)).toBeUndefined()
  expect(await outlineInThread("a.py", "def f(): pass\n")).toMatchObject({ symbols: [{ name: "f" }] })
  expect(await factsInThread("a.md", "# A\n")).toBeNull()
})

it("checks the next file after a text that aborts the parser", async () => {
  expect(await checkFileInThread({ path: "a.py", text: ABORTING })).toEqual([])
  expect(await checkFileInThread({ path: "a.py", text: "def f(:\n" })).toMatchObject([{ rule: "syntax" }])
})

it("parses a command that needs a grammar", async () => {
  expect(await parseCommandInThread("'".repeat(99_999))).toBeUndefined()
  expect(await parseCommandInThread("(echo 'a')")).toMatchObject({ typed: [{ words: ["echo", "a"] }] })
})
