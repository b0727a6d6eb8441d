import { describeVerdict } from "@switchyard/core/work/gate/verdict"
import { expect, it } from "vitest"
import { checkProject } from "./checked.ts"

const manifest = (scripts: object) => JSON.stringify({ type: "module", scripts })
const RUNS_TESTS = manifest({ build: "node -e 0", test: "node --test" })
const testing = (...lines: string[]) =>
  ['import assert from "node:assert"', 'import { test } from "node:test"', ...lines].join("\n")

/** A package that loads an addon, which its install script compiles. */
const native = (scripts: object) => ({
  "node_modules/engine/package.json": JSON.stringify({ name: "engine", version: "1.0.0", scripts }),
  "node_modules/engine/index.js": 'module.exports = require("./build/Release/engine.node")\n',
})
const USES_ENGINE = testing('import "engine"', 'test("runs", () => {})')
const FETCHES = 'test("fetches", () => fetch("http://weather.invalid/"))'
const CONNECTS = (port: number) =>
  `import { connect } from "node:net"\nconnect(${port}, "127.0.0.1").on("error", (error) => { throw error })\n`

interface Example {
  what: string
  files: Record<string, string>
}

/**
 * Checks the files as if a sandbox cut programs off from the network. A start command is checked without a sandbox:
 * nothing here is really cut off, so its probe would find the servers of other tests.
 */
function checkExample(files: Record<string, string>) {
  return checkProject(files, files["start.js"] === undefined ? { means: "bubblewrap" } : {})
}

it.each<Example & { reason: RegExp }>([
  {
    what: "a package whose install script didn't run",
    files: {
      "package.json": RUNS_TESTS,
      "a.test.js": USES_ENGINE,
      ...native({ install: "node-gyp rebuild" }),
    },
    reason: /^npm test couldn't be run\. It needs what engine builds or downloads in its install script/,
  },
  {
    what: "a program that the machine lacks",
    files: { "package.json": manifest({ build: "node -e 0", test: "mix test" }) },
    reason:
      /^npm test couldn't be run\. mix isn't installed on this machine\. Install it, or add elixir to RUNNER_PACKAGES on a stage\.$/,
  },
  {
    what: "another host",
    files: { "package.json": RUNS_TESTS, "a.test.js": testing(FETCHES) },
    reason: /^npm test couldn't be run\. It needs the network \(weather\.invalid\)/,
  },
  {
    what: "a database server",
    files: { "package.json": manifest({ build: "node -e 0", start: "node start.js" }), "start.js": CONNECTS(1433) },
    reason: /^npm start couldn't be run\. It needs a SQL Server server on port 1433/,
  },
])("is neither passed nor failed by a command that needs $what", async ({ files, reason }) => {
  const { verdict, outputs } = await checkExample(files)
  expect(verdict).toMatchObject({ status: "not_run", reason: expect.stringMatching(reason) })
  expect(verdict.checks).toMatchObject([
    { name: "build", passed: true },
    { passed: false, blocked: true },
  ])
  expect(outputs).toHaveLength(2)
  expect(outputs[1]).not.toBe("")
  expect(describeVerdict(verdict)).toMatch(/^Not fully checked\. npm /)
})

it.each<Example>([
  {
    what: "a package without an install script that lacks a file",
    files: { "package.json": RUNS_TESTS, "a.test.js": USES_ENGINE, ...native({}) },
  },
  {
    what: "a program that its own manifest has to bring",
    files: { "package.json": manifest({ build: "node -e 0", test: "tsc-that-is-not-there" }) },
  },
  {
    what: "another host, if a test fails for a reason of its own",
    files: {
      "package.json": RUNS_TESTS,
      "a.test.js": testing(
        'const error = await fetch("http://weather.invalid/").catch((error) => error)',
        'test("adds", () => { console.error(error, error); assert.equal(1 + 1, 3) })',
      ),
    },
  },
  {
    what: "another host, if more tests fail than report it",
    files: {
      "package.json": RUNS_TESTS,
      "a.test.js": testing(
        FETCHES,
        ...["a", "b", "c", "d"].map((name) => `test("${name}", () => { throw new Error("no") })`),
      ),
    },
  },
  {
    what: "a server of its own that doesn't run",
    files: { "package.json": manifest({ build: "node -e 0", start: "node start.js" }), "start.js": CONNECTS(1) },
  },
])("fails for $what", async ({ files }) => {
  const { verdict } = await checkExample(files)
  expect(verdict).toMatchObject({ status: "failed", checks: [{ passed: true }, { passed: false }] })
  expect(verdict.checks.some(({ blocked }) => blocked)).toBe(false)
})

it("fails for another host if the command has a network", async () => {
  const { verdict } = await checkProject({ "package.json": RUNS_TESTS, "a.test.js": testing(FETCHES) })
  expect(verdict.status).toBe("failed")
})
