import { countTests } from "@switchyard/core/work/gate/test-counts"
import { judgeTests } from "@switchyard/core/work/gate/verdict"
import { describe, expect, it } from "vitest"

/** Ends of programs' outputs, with their test counts. */
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
  ["unittest with tests that may fail", "Ran 4 tests in 0.007s\n\nOK (skipped=1, expected failures=2)\n", [1, 0, 3]],
  [
    "unittest with one that may fail and doesn't",
    "Ran 2 tests in 0.0s\n\nFAILED (unexpected successes=1)\n",
    [1, 1, 0],
  ],
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
  [
    "Go that says every test",
    "=== RUN   TestA\n    a_test.go:3: later\n--- SKIP: TestA (0.00s)\n=== RUN   TestB\nno end of its line--- PASS: TestB (0.00s)\n=== RUN   TestC\n=== RUN   TestC/x\n=== RUN   TestC/x/y\n--- PASS: TestC (0.10s)\n    --- PASS: TestC/x (0.00s)\n        --- PASS: TestC/x/y (0.00s)\n    --- SKIP: TestC/z (0.00s)\nPASS\nok  \tx/a\t(cached)\n=== RUN   TestA\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/x (0.00s)\n=== RUN   TestB\n--- FAIL: TestB (0.00s)\n    --- PASS: TestB/x (0.00s)\nFAIL\nFAIL\tx/b\t0.01s\n?   \tx/c\t[no test files]\nFAIL\tx/d [build failed]\nFAIL\n",
    [3, 3, 2],
  ],
  [
    "nextest",
    "────────────\n     Summary [   0.010s] 3 tests run: 2 passed (1 slow), 1 failed, 1 skipped\n",
    [2, 1, 1],
  ],
  [
    "nextest that stopped early",
    "     Summary [   5.000s] 3/9 tests run: 1 passed, 1 timed out, 1 exec failed, 0 skipped\n",
    [1, 2, 0],
  ],
  ["nextest without tests", "     Summary [   0.000s] 0 tests run: 0 passed, 4 skipped\n", [0, 0, 4]],
  ["RSpec", "Finished in 0.01 seconds (files took 0.1 seconds to load)\n5 examples, 1 failure, 2 pending\n", [2, 1, 2]],
  [
    "RSpec with an error outside of examples",
    "0 examples, 0 failures, 1 error occurred outside of examples\n",
    [0, 1, 0],
  ],
  ["RSpec without examples", "No examples found.\n\n0 examples, 0 failures\n", [0, 0, 0]],
  ["PHPUnit", "Time: 00:00.010, Memory: 8.00 MB\n\nOK (3 tests, 4 assertions)\n", [3, 0, 0]],
  [
    "PHPUnit that fails",
    "ERRORS!\nTests: 7, Assertions: 2, Errors: 1, Failures: 1, PHPUnit Deprecations: 3, Skipped: 1, Incomplete: 1, Risky: 1.\n",
    [2, 2, 3],
  ],
  ["PHPUnit that skips all", "OK, but some tests were skipped!\nTests: 2, Assertions: 0, Skipped: 2.\n", [0, 0, 2]],
  ["PHPUnit without tests", "No tests executed!\n", [0, 0, 0]],
  [
    ".NET, by assembly",
    "Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 12 ms - a.dll (net8.0)\nFailed!  - Failed:     1, Passed:     1, Skipped:     0, Total:     2, Duration: 9 ms - b.dll (net8.0)\n",
    [4, 1, 1],
  ],
  [
    ".NET, all in one",
    "Test summary: total: 4, failed: 1, succeeded: 2, skipped: 1, duration: 1.5s\nBuild failed with 1 error(s) in 2.9s\n",
    [2, 1, 1],
  ],
  [
    ".NET's testing platform",
    "Test run summary: Zero tests ran - a.dll (net9.0|x64)\n  total: 0\n  failed: 0\n  succeeded: 0\n  skipped: 0\n  duration: 90ms\n",
    [0, 0, 0],
  ],
  [
    ".NET without tests",
    "No test is available in /p/bin/a.dll. Make sure that test discoverer is registered.\n",
    [0, 0, 0],
  ],
  [
    "Go in JSON, from packages beside each other",
    [
      ["x/a", "=== RUN   TestA\n"],
      ["x/b", "=== RUN   TestB\n"],
      ["x/a", "--- SKIP: TestA (0.00s)\n"],
      ["x/b", "--- PASS: TestB (0.00s)\n"],
      ["x/a", "PASS\n"],
      ["x/a", "ok  \tx/a\t0.01s\n"],
      ["x/b", "PASS\n"],
      ["x/b", "ok  \tx/b\t0.01s\n"],
    ]
      .map(([Package, Output]) => JSON.stringify({ Time: "2026-01-01T00:00:00Z", Action: "output", Package, Output }))
      .join("\n"),
    [1, 0, 1],
  ],
  [
    "JUnit's XML with a test still to be made that fails",
    '<testsuites>\n<testcase name="a"/>\n<testcase name="d" failure="x">\n<skipped type="todo" message="true"/>\n<failure type="testCodeFailure" message="x">\n</failure>\n</testcase>\n</testsuites>\n',
    [1, 0, 1],
  ],
  [
    "JUnit's XML",
    `<?xml version="1.0" encoding="utf-8"?>
<testsuites>
	<testsuite name="adds" time="0.003" disabled="0" errors="0" tests="3" failures="1" skipped="1" hostname="x">
		<testcase name="one" time="0.001" classname="test" file="/x/a.test.js"/>
		<testcase name="two" time="0.001" classname="test" file="/x/a.test.js" failure="no">
			<failure type="testCodeFailure" message="no">
[Error [ERR_TEST_FAILURE]: no]
			</failure>
		</testcase>
		<testcase name="three" time="0.000" classname="test" file="/x/a.test.js">
			<skipped type="skipped" message="true"/>
		</testcase>
	</testsuite>
</testsuites>
`,
    [1, 1, 1],
  ],
]

/** Outputs of programs that ran no test and still report success. */
const empty: [string, string, number?][] = [
  ["node:test", "ℹ tests 0\nℹ suites 0\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 5.1\n"],
  ["JUnit's XML", '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n\t<!-- tests 0 -->\n</testsuites>\n'],
  [
    "Vitest",
    "\n RUN  v5.1.1 /x\n\nNo test files found, exiting with code 0\n\ninclude: **/*.{test,spec}.?(c|m)[jt]s?(x)\n",
  ],
  [
    "Vitest that skips all",
    " ↓ a.test.js (2 tests | 1 skipped | 1 todo)\n\n Test Files  1 skipped (1)\n      Tests  1 skipped | 1 todo (2)\n   Start at  00:51:48\n",
    2,
  ],
  ["Jest", "No tests found, exiting with code 0\n"],
  [
    "Jest that skips all",
    "  ○ skipped a\n  ✎ todo b\n\nTest Suites: 1 passed, 1 total\nTests:       1 skipped, 1 todo, 2 total\nSnapshots:   0 total\n",
    2,
  ],
  ["Mocha", "\n\n  0 passing (1ms)\n\n"],
  ["pytest", "collected 0 items\n\n============================ no tests ran in 0.01s =============================\n"],
  ["pytest -q", "\nno tests ran in 0.02s\n"],
  [
    "pytest that skips all",
    "test_x.py sx                    [100%]\n\n======================== 1 skipped, 1 xfailed in 0.10s =========================\n",
    2,
  ],
  ["pytest -q that skips all", "sx                              [100%]\n1 skipped, 1 xfailed in 0.11s\n", 2],
  ["pytest -k", "============================ 2 deselected in 0.03s =============================\n", 2],
  [
    "unittest",
    "\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nOK\n",
  ],
  [
    "Go that skips all",
    "=== RUN   TestA\n    a_test.go:3: later\n--- SKIP: TestA (0.00s)\n=== RUN   TestB\n=== RUN   TestB/one\n--- PASS: TestB (0.00s)\n    --- SKIP: TestB/one (0.00s)\nPASS\nok  \tx/a\t0.004s\nok  \tx/runs-none\t0.004s\nPASS\nok  \tx/b\t0.004s [no tests to run]\n",
    2,
  ],
  ["unittest whose tests may all fail", "Ran 2 tests in 0.007s\n\nOK (skipped=1, expected failures=1)\n", 2],
  ["Go", "?   \tx\t[no test files]\nok  \tx/sub\t0.005s [no tests to run]\n"],
  ["Go without a test file", "?   \tx\t[no test files]\n"],
  [
    "Cargo",
    "\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n   Doc-tests c\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n",
  ],
  ["Maven", "[INFO] --- surefire:3.5.2:test (default-test) @ x ---\n[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n"],
]

describe("the number of tests", () => {
  it.each(outputs)("is read from the output of %s", (_, output, [passed, failed, skipped]) => {
    expect(countTests(output)).toEqual({ passed, failed, skipped })
  })

  it.each(empty)("is none where %s found or ran none, so that nothing is shown", (_, output, skipped = 0) => {
    const counts = countTests(output)
    expect(counts).toEqual({ passed: 0, failed: 0, skipped })
    expect(judgeTests(0, counts)).toEqual({ passed: false, reason: "No tests ran." })
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
