import { pageScript, pageTests, plainScript } from "@switchyard/demo-model/page-files"
import { expect, it } from "vitest"

it("puts the module before its use on the page, which imports it no more", () => {
  const page = 'import { f } from "./f.ts"\nimport { g } from "./g.ts"\n\nfunction start() {}\n'
  expect(pageScript("export function f() {}\n", page)).toBe("export function f() {}\n\nfunction start() {}\n")
})

it("exports nothing from a plain script", () => {
  expect(plainScript("export function f() {}\n")).toBe("function f() {}\n")
})

it("puts the module's tests before the page's own, importing the script unless it is a plain one", () => {
  const tests = 'import { test } from "node:test"\nimport { f } from "./f.ts"\n\ntest("f", f)\n'
  const page = 'import { test } from "node:test"\n\nconst read = 1\n\ntest("page", read)\n'
  const whole = 'const read = 1\n\ntest("f", f)\n\ntest("page", read)\n'
  expect(pageTests(tests, page, { plain: true })).toBe(`import { test } from "node:test"\n\n${whole}`)
  expect(pageTests(tests, page, { plain: false })).toBe(
    `import { test } from "node:test"\nimport { f } from "./script.ts"\n\n${whole}`,
  )
})
