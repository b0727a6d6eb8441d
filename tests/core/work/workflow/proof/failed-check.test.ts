import { workspacePath } from "@switchyard/core/files/workspaces/path"
import type { CheckResult } from "@switchyard/core/work/gate/schema"
import { verdictOf } from "@switchyard/core/work/gate/verdict"
import { failedCheckTask, readFailure } from "@switchyard/core/work/workflow/proof/failed-check"
import { failuresIn } from "@switchyard/core/work/workflow/proof/failures"
import { describe, expect, it } from "vitest"

const { signal } = new AbortController()
const failed: CheckResult = { name: "test", command: "npm test", passed: false, exit_code: 1, duration_ms: 1 }

async function read(texts: Record<string, string>, output: string, check: Partial<CheckResult> = {}) {
  const manifest = {
    folders: [],
    files: Object.keys(texts).map((path) => ({
      ...{ path: workspacePath(path), sha256: "", size: 1, mode: 0o644 as const, binary: false },
    })),
  }
  const readText = async (path: string) => texts[path] ?? ""
  const verdict = verdictOf({ workspace_version: 1 }, [{ ...failed, ...check }])
  return readFailure({ manifest, readText }, { verdict, output }, { signal })
}

const other = { "other.js": "", "other.py": "", "Other.java": "", "README.md": "" }

describe("the files of a failed check", () => {
  it.each<[string, Record<string, string>, string, { code: string[]; tests: string[] }]>([
    [
      "JavaScript",
      { "src/sum.js": 'import "./parts.js"', "src/parts.js": "", "src/sum.test.js": 'import { add } from "./sum.js"' },
      "test at src/sum.test.js:5:1\n✖ adds",
      { code: ["src/parts.js", "src/sum.js"], tests: ["src/sum.test.js"] },
    ],
    [
      "TypeScript, by way of a helper",
      {
        "src/sum.ts": "",
        "tests/help.ts": 'export * from "../src/sum"',
        "tests/sum.spec.ts": 'import { add } from "./help"',
      },
      "FAIL tests/sum.spec.ts > adds",
      { code: ["src/sum.ts"], tests: ["tests/sum.spec.ts"] },
    ],
    [
      "CommonJS",
      { "lib/sum.js": "", "test/sum.js": 'require("../lib/sum")' },
      "1) adds\n    at Context.<anonymous> (test/sum.js:3:1)",
      { code: ["lib/sum.js"], tests: ["test/sum.js"] },
    ],
    [
      "Python",
      {
        "app/__init__.py": "",
        "app/sums.py": "",
        "tests/test_sums.py": "from app import sums\nfrom app.sums import add",
      },
      "FAILED tests/test_sums.py::test_adds - assert -1 == 3",
      { code: ["app/__init__.py", "app/sums.py"], tests: ["tests/test_sums.py"] },
    ],
    [
      "Go, which names no folder",
      { "sums/sums.go": "package sums", "sums/sums_test.go": "package sums", "main.go": "package main" },
      "--- FAIL: TestAdd (0.00s)\n    sums_test.go:7: no",
      { code: ["sums/sums.go"], tests: ["sums/sums_test.go"] },
    ],
    [
      "Rust",
      { "src/lib.rs": "mod add;", "src/add.rs": "", "tests/adds.rs": "use sums::add;" },
      "thread 'adds' panicked at tests/adds.rs:5:5",
      { code: ["src/add.rs", "src/lib.rs"], tests: ["tests/adds.rs"] },
    ],
    [
      "Java, whose classes of one package need no import",
      { "src/main/java/a/Sum.java": "package a;", "src/test/java/a/SumTest.java": "package a;" },
      "[ERROR] SumTest.adds:7 expected: <3>\n\tat a.SumTest.adds(SumTest.java:7)",
      { code: ["src/main/java/a/Sum.java"], tests: ["src/test/java/a/SumTest.java"] },
    ],
    [
      "Ruby",
      { "lib/sum.rb": "", "spec/sum_spec.rb": 'require_relative "../lib/sum"' },
      "rspec ./spec/sum_spec.rb:4 # adds",
      { code: ["lib/sum.rb"], tests: ["spec/sum_spec.rb"] },
    ],
  ])("are the code that failing tests import, and the tests: %s", async (_, texts, output, { code, tests }) => {
    const failure = await read({ ...other, ...texts }, output)
    expect({ code: failure.code.toSorted(), tests: failure.tests }).toEqual({ code, tests })
  })

  it("are the files that a compiler names, all of them", async () => {
    const texts = { "a.ts": "", "b.ts": "", "c.ts": "", "package.json": "" }
    const output = "a.ts(1,1): error TS1\nb.ts(1,1): error TS1\n> tsc -p package.json"
    expect(await read(texts, output, { name: "build" })).toMatchObject({ code: ["a.ts", "b.ts"], tests: [] })
  })

  it("are the manifests if the output names nothing", async () => {
    const failure = await read({ "package.json": "", "a.js": "" }, "exit 1", { name: "install" })
    expect(failure).toMatchObject({ code: ["package.json"], tests: [] })
    expect(failedCheckTask(failure)).toContain("Begin with: package.json")
  })
})

describe("the failures of a check", () => {
  const of = (output: string) => failuresIn({ output, verdict: verdictOf({ workspace_version: 1 }, [failed]) })

  it("are the same whatever differs from run to run", () => {
    const once = "✖ adds (1.5ms)\n  at sum.test.js:5:1\n  AssertionError: -1 !== 3\nℹ duration_ms 51.1\nℹ fail 1"
    const again = "ℹ duration_ms 9\n  at sum.test.js:9:3\n  AssertionError: -1 !== 3\n✖ adds (0.2ms)\nℹ fail 1"
    expect(of(again)).toBe(of(once))
  })

  it("differ by what failed, and by how", () => {
    const outputs = ["✖ adds\n-1 !== 3", "✖ adds\n2 !== 3", "✖ subtracts\n-1 !== 3", "✖ adds\n✖ subtracts\n-1 !== 3"]
    expect(new Set(outputs.map(of)).size).toBe(4)
  })
})
