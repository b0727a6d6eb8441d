import { stripTypeScriptTypes } from "node:module"
import { checkFileInThread } from "@switchyard/core/work/checks/in-thread"
import { expect, it } from "vitest"

it("reads TypeScript after a text that breaks Node's reader of types, and so does the rest of the process", async () => {
  const twice = "let a: string\nlet a: number"
  const expected = [{ line: 2, rule: "syntax", message: expect.stringContaining("already been declared") }]
  for (const opening of ["(", "!", "a?b:"]) {
    expect(await checkFileInThread({ path: "a.ts", text: `${opening.repeat(100)}\n`.repeat(160) })).toEqual([])
    expect(await checkFileInThread({ path: "a.ts", text: twice })).toMatchObject(expected)
  }
  expect(stripTypeScriptTypes("let a: string")).toMatch(/^let a *$/)
})
