import { stripTypeScriptTypes } from "node:module"
import { checkEarlyErrorsOfTypeScript } from "@switchyard/core/work/checks/javascript/early-errors"
import { expect, it } from "vitest"

it("reads TypeScript after a text that breaks Node's reader of types, and so does the rest of the process", async () => {
  const twice = "let a: string\nlet a: number"
  const expected = [{ line: 2, rule: "syntax", message: expect.stringContaining("already been declared") }]
  for (const opening of ["(", "!", "a?b:"]) {
    expect(await checkEarlyErrorsOfTypeScript(opening.repeat(16_000))).toEqual([])
    expect(await checkEarlyErrorsOfTypeScript(twice)).toMatchObject(expected)
  }
  expect(stripTypeScriptTypes("let a: string")).toMatch(/^let a *$/)
})
