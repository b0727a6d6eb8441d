import { canFail, declaresTests, filesAsTests, lastReport, reportsTests } from "@switchyard/core/work/gate/silent-tests"
import { describe, expect, it } from "vitest"

type Files = Record<string, string>
const projectOf = (files: Files) => ({
  has: (path: string) => Object.hasOwn(files, path),
  text: (path: string) => files[path],
  paths: () => Object.keys(files),
})
const script = (test: string) => ({ "package.json": JSON.stringify({ scripts: { test } }) })

describe("a test command", () => {
  it.each<[Files, string | undefined, boolean]>([
    [script("node --test"), undefined, true],
    [script("tsc && vitest run"), undefined, true],
    [{ "test_a.py": "" }, undefined, true],
    [{ "go.mod": "module a" }, undefined, true],
    [{ Makefile: "test: build\n\tpytest -x\n" }, undefined, true],
    [script("node check.js"), "go test ./...", true],
    [script("node check.js"), undefined, false],
    [script("node --test"), "./check", false],
    [script("node --test --test-reporter=dot"), undefined, false],
    [script("jest > results.txt"), undefined, false],
    [script("node --test --test-name-pattern=unit"), undefined, false],
    [{ "README.md": "" }, undefined, false],
  ])("is known to say how many tests ran, or not: %j, set to %s", (files, set, expected) => {
    expect(reportsTests(projectOf(files), set === undefined ? {} : { test: set })).toBe(expected)
  })
})

it("finds the files that Node's test program takes for a test each, in both of its forms", () => {
  const spec = "✔ adds (1.2ms)\n✔ a/sum.test.js (243.48ms)\n✖ b.test.js (2ms)\n  ✔ c.test.js (1ms)\nℹ pass 2\n"
  expect(filesAsTests(spec)).toEqual(["a/sum.test.js"])
  expect(filesAsTests("ok 1 - reads a.js\nok 2 - /x/sum.test.mjs\nnot ok 3 - /x/b.test.js\n")).toEqual([
    "/x/sum.test.mjs",
  ])
  const twice = "✔ a.test.js (4ms)\nℹ pass 1\nℹ fail 0\n✔ adds (1ms)\nℹ pass 1\nℹ fail 0\n"
  expect([filesAsTests(twice), filesAsTests(lastReport(twice))]).toEqual([["a.test.js"], []])
  const junit =
    '\t<testcase name="empty.test.js" time="0.55" classname="test" file="/x/empty.test.js"/>\n\t<testcase name="a" time="0.01" classname="test"/>\n'
  expect(filesAsTests(junit)).toEqual(["empty.test.js"])
})

it.each<[string, boolean]>([
  ["", false],
  ["// nothing here\n", false],
  ["/* assert(1) */\nimport './sum.js'\n", false],
  ['import assert from "node:assert"\n', false],
  ['console.log("assert(true)", "throw")\nprocess.exit(0)\n', false],
  ["/* it is never closed: assert(1)", false],
  ['import assert from "node:assert"\nassert.equal(1, 1)\n', true],
  ['const assert = require("assert"); assert.strict.equal(1, 1)\n', true],
  ['const files = "src/**/*.js"\nif (!files) throw new Error("no")\n', true],
  ["if (broken) process.exit(1)\n", true],
  ["process.exitCode = failed\n", true],
])("knows whether a file without tests is one itself: %j", (text, expected) => {
  expect(canFail(text)).toBe(expected)
})

it("tells a file that has tests to report from one that is a test as a whole", () => {
  const imported = 'import { test } from "node:test"\n'
  expect(declaresTests(`${imported}test("adds", () => {})`)).toBe(true)
  expect(declaresTests(`${imported}if (isWindows) {\n  test("adds", () => {})\n}`)).toBe(false)
  expect(declaresTests('import assert from "node:assert"\nassert.equal(1, 1)')).toBe(false)
})
