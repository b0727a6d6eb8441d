import { countTests } from "@switchyard/core/work/gate/test-counts"
import { judgeTests } from "@switchyard/core/work/gate/verdict"
import { describe, expect, it } from "vitest"

/** The ends of what programs print. */
const outputs: [string, string, [passed: number, failed: number, skipped: number]][] = [
  [
    "node:test",
    "✔ adds (0.4ms)\nℹ tests 5\nℹ suites 0\nℹ pass 3\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\nℹ duration_ms 52\n",
    [3, 1, 1],
  ],
  [
    "TAP",
    "ok 1 - adds\n1..1\n# tests 1\n# suites 0\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n",
    [1, 0, 0],
  ],
  [
    "Vitest",
    " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 8 passed | 2 skipped (11)\n   Start at  10:00:00\n",
    [8, 1, 2],
  ],
  [
    "Jest",
    "Test Suites: 1 passed, 1 total\nTests:       1 skipped, 4 passed, 5 total\nSnapshots:   0 total\n",
    [4, 0, 1],
  ],
  ["Mocha", "\n  12 passing (30ms)\n  2 pending\n  1 failing\n\n  1) adds:\n", [12, 1, 2]],
  ["pytest", "tests/test_a.py ..F\n===== 1 failed, 2 passed, 1 skipped in 0.05s =====\n", [2, 1, 1]],
  ["pytest -q", "...\n3 passed in 0.01s\n", [3, 0, 0]],
  ["pytest with errors", "==== 2 errors in 0.20s ====\n", [0, 2, 0]],
  ["unittest", "Ran 6 tests in 0.002s\n\nFAILED (failures=1, errors=1, skipped=1)\n", [3, 2, 1]],
  ["unittest that passes", "Ran 1 test in 0.000s\n\nOK\n", [1, 0, 0]],
  [
    "Cargo",
    "test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured\n",
    [3, 1, 1],
  ],
  [
    "Maven",
    "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in x.ATest\n[INFO] Results:\n[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1\n[INFO] Tests run: 2, Failures: 0, Errors: 1, Skipped: 0\n",
    [2, 2, 1],
  ],
  [
    "Go",
    "ok  \texample.com/a\t0.012s\nFAIL\texample.com/b\t0.010s\n?   \texample.com/c\t[no test files]\nFAIL\n",
    [1, 1, 0],
  ],
]

describe("the number of tests", () => {
  it.each(outputs)("is read from the output of %s", (_, output, [passed, failed, skipped]) => {
    expect(countTests(output)).toEqual({ passed, failed, skipped })
  })

  it("is unknown where nothing says it", () => {
    for (const output of ["", "All good.\n", "3 files passed the linter? no\n", "Tests are fun\n"]) {
      expect(countTests(output), output).toBeUndefined()
    }
  })
})

describe("tests", () => {
  it("pass only if some ran and none failed", () => {
    expect(judgeTests(0, { passed: 1, failed: 0, skipped: 0 }).passed).toBe(true)
    expect(judgeTests(0, undefined).passed).toBe(true)
    expect(judgeTests(1, { passed: 1, failed: 0, skipped: 0 }).passed).toBe(false)
    expect(judgeTests(null, undefined).passed).toBe(false)
    expect(judgeTests(0, { passed: 0, failed: 0, skipped: 4 })).toEqual({ passed: false, reason: "No tests ran." })
    expect(judgeTests(0, { passed: 3, failed: 1, skipped: 0 }).passed).toBe(false)
  })
})
