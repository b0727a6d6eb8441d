import { pageScript, pageTests, plainScript } from "@switchyard/demo-model/page-files"
import { expect, it } from "vitest"

it("puts the module and the shared functions that a page uses before the page, which imports nothing", () => {
  const page = 'import { g } from "./elements.ts"\nimport { f } from "./f.ts"\n\nfunction start() {}\n'
  const shared = "export function h() {}\n\nexport function g() {}\n"
  expect(pageScript("export function f() {}\n", shared, page)).toBe(
    "export function f() {}\n\nfunction g() {}\n\nfunction start() {}\n",
  )
})

it("exports nothing from a plain script", () => {
  expect(plainScript("export function f() {}\n")).toBe("function f() {}\n")
})

it("puts the module's tests before the page's own, importing the script unless it is a plain one", () => {
  const tests = 'import { test } from "node:test"\nimport { f } from "./f.ts"\n\ntest("f", f)\n'
  const page = 'import { test } from "node:test"\n\nconst read = 1\n\ntest("page", read)\n'
  const whole = 'const read = 1\n\ntest("f", f)\n\ntest("page", read)\n'
  expect(pageTests(tests, page, { isPlain: true })).toMatch(
    /^import { test } from "node:test"\nimport { runInThisContext } from "node:vm"\n\nconst read = 1\n\n\/\/ .*\nrunIn.*\n\ntest\("f"/,
  )
  expect(pageTests(tests, page, { isPlain: false })).toBe(
    `import { test } from "node:test"\nimport { f } from "./script.ts"\n\n${whole}`,
  )
})
