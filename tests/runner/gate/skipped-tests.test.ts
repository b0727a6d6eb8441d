import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { itDeep } from "../../depth.ts"
import { needs } from "../../needs.ts"
import { checkProject } from "./checked.ts"

/** A project whose tests are all skipped, and a file that adds a test that runs. */
interface Example {
  program: string
  files: Record<string, string>
  skipped: number
  /** One more file, with a test that runs. */
  running: Record<string, string>
}

const GO_SKIPS = `package a
import "testing"
func TestA(t *testing.T) { t.Skip("later") }
func TestB(t *testing.T) { t.Run("one", func(t *testing.T) { t.Skip() }) }
`
const GO_RUNS = `package b
import "testing"
func TestRuns(t *testing.T) { t.Log("a note of a test that passes") }
`
const NODE_SKIPS = `import { describe, it, test } from "node:test"
describe("a", { skip: true }, () => it("b", () => {}))
test.skip("c", () => {})
test("d", { todo: true }, () => { throw new Error("not yet") })
`

const examples: Record<string, Example> = {
  Go: {
    ...{ program: "go", skipped: 2, running: { "b/b_test.go": GO_RUNS } },
    files: { "go.mod": "module example.com/a\n\ngo 1.18\n", "a/a_test.go": GO_SKIPS },
  },
  Cargo: {
    ...{ program: "cargo", skipped: 1, running: { "tests/b.rs": "#[test]\nfn runs() {}\n" } },
    files: {
      "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": "#[cfg(test)]\nmod tests {\n    #[test]\n    #[ignore]\n    fn later() {}\n}\n",
    },
  },
  unittest: {
    ...{ program: "python3", skipped: 2 },
    files: {
      "test_a.py":
        "import unittest\nclass A(unittest.TestCase):\n    @unittest.skip('x')\n    def test_a(self): pass\n    @unittest.expectedFailure\n    def test_b(self): self.fail()\n",
    },
    running: { "test_b.py": "import unittest\nclass B(unittest.TestCase):\n    def test_runs(self): pass\n" },
  },
  "node:test": {
    ...{
      program: "node",
      skipped: 2,
      running: { "b.test.mjs": 'import { test } from "node:test"\ntest("e", () => {})\n' },
    },
    files: { "package.json": '{ "scripts": { "test": "node --test" } }', "a.test.mjs": NODE_SKIPS },
  },
  "node:test as JUnit's XML": {
    ...{
      program: "node",
      skipped: 3,
      running: { "b.test.mjs": 'import { test } from "node:test"\ntest("e", () => {})\n' },
    },
    files: {
      "package.json": '{ "scripts": { "test": "node --test --test-reporter=junit" } }',
      "a.test.mjs": NODE_SKIPS,
    },
  },
}

/** Runs the program, because a version manager's shim can exist without its program. */
const works = (program: string) => spawnSync(program, [program === "go" ? "version" : "--version"]).status === 0

describe("tests that are all skipped", () => {
  for (const [name, { program, files, running, skipped }] of Object.entries(examples)) {
    // In a new home, Go first compiles its standard library.
    const test = program === "go" ? itDeep : it
    const needed = needs(works(program) ? undefined : `there is no ${program} that works`)
    test(`are no evidence with ${name}, and one that runs is`, needed, async () => {
      const none = await checkProject(files)
      expect(none.verdict.checks.at(-1), none.outputs.at(-1)).toMatchObject({
        ...{ name: "test", passed: false, exit_code: 0, reason: "No tests ran." },
        tests: { passed: 0, failed: 0, skipped },
      })
      const some = await checkProject({ ...files, ...running })
      expect(some.verdict, some.outputs.at(-1)).toMatchObject({ status: "passed" })
      expect(some.verdict.checks.at(-1)?.tests).toEqual({ passed: 1, failed: 0, skipped })
      expect(some.outputs.at(-1)).not.toContain("a note of a test that passes")
    })
  }
})
