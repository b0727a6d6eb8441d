import { withoutPassedPackages } from "@switchyard/core/work/gate/go-tests"
import { expect, it } from "vitest"

it("shows of Go's packages that pass only that they do, and all of one that fails", () => {
  const passed = "=== RUN   TestA\n    a_test.go:3: noted\n--- PASS: TestA (0.00s)\nPASS\nok  \tx/a\t0.004s\n"
  const failed =
    "=== RUN   TestB\n=== PAUSE TestB\n=== CONT  TestB\n    b_test.go:4: wrong\n--- FAIL: TestB (0.00s)\nFAIL\n"
  const end = "FAIL\tx/b\t0.01s\n"
  const build = "# x/c\nc.go:1: no\nFAIL\tx/c [build failed]\n"
  expect(withoutPassedPackages(`${build}${passed}${failed}${end}${passed}FAIL\n`)).toBe(
    `${build}ok  \tx/a\t0.004s\n    b_test.go:4: wrong\n--- FAIL: TestB (0.00s)\nFAIL\n${end}ok  \tx/a\t0.004s\nFAIL\n`,
  )
})

it("leaves the output of other programs as it is", () => {
  for (const output of ["", "✔ adds (1ms)\nok 1 - adds\nℹ pass 1\n", "ok  \tx\t0.01s\n"]) {
    expect(withoutPassedPackages(output)).toBe(output)
  }
})
