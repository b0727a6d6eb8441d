import type { TestCounts } from "./schema.ts"

/**
 * Environment that makes Go report every test that ran or was skipped, even if Go is started by the project's own
 * scripts.
 */
export const GO_TELLS_TESTS = { GOFLAGS: "-v" }

/** Matches the end of a test's report. The test's own output may come before it on the same line. */
const TEST_END = /--- (PASS|FAIL|SKIP): (\S+) \(\d+(?:\.\d+)?s\)$/
const PACKAGE_END = /^(ok|FAIL)\s+\S+\s/
/** Matches packages that have no test files or no matching tests. */
const EMPTY_PACKAGE = /^(?:ok|\?)\s+\S+\s.*\[no test(?:s to run| files)\]$|^no packages to test$/

/**
 * Counts the tests that Go reported. Subtests are counted instead of the tests that contain them. If no tests were
 * reported, counts the packages that passed. Undefined if the lines aren't Go's output.
 */
export function countGoTests(lines: string[]): TestCounts | undefined {
  const packages = packagesOf(lines)
  const isEmpty = lines.some((line) => EMPTY_PACKAGE.test(line))
  if (packages.length === 0) return isEmpty ? { passed: 0, failed: 0, skipped: 0 } : undefined
  const counts = packages.map(countPackage)
  const sum = (name: keyof TestCounts) => counts.reduce((all, one) => all + one[name], 0)
  // If other packages report tests, a passed package without test reports has a `TestMain` that ran no tests, so it
  // adds nothing to the count.
  const saysTests = packages.some(({ tests }) => tests.length > 0)
  const passed = saysTests ? sum("passed") : packages.filter(({ end }) => end === "ok").length
  return { passed, failed: sum("failed"), skipped: sum("skipped") }
}

/** Removes the test reports of packages that passed. The result looks like Go's output without `-v`. */
export function withoutPassedPackages(output: string): string {
  const kept: string[] = []
  let begin: number | undefined
  for (const line of output.split("\n")) {
    if (/^=== RUN\s/.test(line)) begin ??= kept.length
    if (begin !== undefined && /^ok\s+\S+\s/.test(line)) kept.length = begin
    if (PACKAGE_END.test(line)) begin = undefined
    if (!/^=== (?:RUN|PAUSE|CONT|NAME)\s/.test(line)) kept.push(line)
  }
  return kept.join("\n")
}

interface Package {
  end: string
  tests: { name: string; end: string }[]
}

/** Returns the packages in order of completion. The output of a package comes directly before its final line. */
function packagesOf(lines: string[]): Package[] {
  const packages: Package[] = []
  let tests: Package["tests"] = []
  for (const line of lines) {
    const [, end, name] = TEST_END.exec(line) ?? []
    if (end !== undefined && name !== undefined) tests.push({ end, name })
    const [, packageEnd] = PACKAGE_END.exec(line) ?? []
    if (packageEnd === undefined || EMPTY_PACKAGE.test(line)) continue
    packages.push({ end: packageEnd, tests })
    tests = []
  }
  return packages
}

function countPackage({ end, tests }: Package): TestCounts {
  const outer = outerOf(tests)
  const failures = tests.filter((test) => test.end === "FAIL")
  const outerFailures = outerOf(failures)
  const count = (what: string) => tests.filter((test) => test.end === what && !outer.has(test.name)).length
  // A test may fail although its subtests passed. A package may also fail without a failed test, and then counts as one
  // failure.
  const failed = failures.filter(({ name }) => !outerFailures.has(name)).length
  return { passed: count("PASS"), failed: end === "FAIL" ? Math.max(1, failed) : failed, skipped: count("SKIP") }
}

/** Returns the names of the tests that contain other tests. */
function outerOf(tests: Package["tests"]): Set<string> {
  return new Set(
    tests.flatMap(({ name }) => {
      const parts = name.split("/")
      return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"))
    }),
  )
}
