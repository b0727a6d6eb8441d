import { countGoTests } from "./go-tests.ts"
import type { TestCounts } from "./schema.ts"
import { cargo, dotnet, goJson, maven, nextest, phpunit, rspec } from "./test-summaries.ts"

/**
 * Counts the tests that ran, based on the summary at the end of the output. Supports node:test, Vitest, Jest, Mocha,
 * pytest, unittest, Go, Cargo with and without nextest, Maven, .NET, RSpec, PHPUnit, and JUnit XML. All counts are zero
 * if the summary reports no tests. Undefined if no known summary is found.
 */
export function countTests(output: string): TestCounts | undefined {
  const lines = output.split("\n").slice(-MAX_LINES)
  for (const read of readers) {
    const counts = read(lines)
    if (counts) return counts
  }
  return undefined
}

/** Number of lines at the end of the output to search for a summary. Summaries are always much shorter. */
const MAX_LINES = 20_000

type Reader = (lines: string[]) => TestCounts | undefined

const ofOneLine: Reader[] = [nextest, dotnet, rspec, phpunit]
const readers: Reader[] = [
  junit,
  nodeTest,
  maven,
  ...ofOneLine,
  named,
  mocha,
  unittest,
  cargo,
  goJson,
  countGoTests,
  none,
]

/**
 * Parses JUnit XML: `<testcase …>` elements with `<failure …>`, `<error …>` or `<skipped …>`. A test with both
 * `<skipped>` and `<failure>` counts as skipped, because it is a todo that is allowed to fail.
 */
function junit(lines: string[]): TestCounts | undefined {
  if (!lines.some((line) => /^\s*<testsuites?[\s>/]/.test(line))) return undefined
  const [, ...cases] = lines.join("\n").split(/<testcase\s/)
  const ends = cases.map(endOfCase)
  const count = (what: string) => ends.filter((end) => end === what).length
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") }
}

function endOfCase(text: string): "passed" | "failed" | "skipped" {
  if (/<skipped\b/.test(text)) return "skipped"
  return /<(?:failure|error)\b/.test(text) ? "failed" : "passed"
}

/** Parses node:test summaries: `ℹ pass 3`, or `# pass 3` in TAP output. */
function nodeTest(lines: string[]): TestCounts | undefined {
  const last = (what: string) => lastNumber(lines, new RegExp(`^(?:ℹ|#) ${what} (\\d+)$`))
  const passed = last("pass")
  const failed = last("fail")
  if (passed === undefined || failed === undefined) return undefined
  return { passed, failed: failed + (last("cancelled") ?? 0), skipped: (last("skipped") ?? 0) + (last("todo") ?? 0) }
}

/**
 * Parses summaries with named counts: `Tests 1 failed | 3 passed (4)` (Vitest), `Tests: 1 failed, 3 passed, 4 total`
 * (Jest), `== 3 passed in 0.1s ==` (pytest).
 */
function named(lines: string[]): TestCounts | undefined {
  const summary = lines.findLast((line) => SUMMARY.test(line.trim()) && COUNTED.test(line))
  if (!summary) return undefined
  const words = summary.split(/\W+/)
  const number = (...names: string[]) => {
    const at = words.findIndex((word) => names.includes(word))
    return Number(words[at - 1] ?? 0) || 0
  }
  return {
    passed: number("passed"),
    failed: number("failed") + number("error", "errors"),
    skipped: SKIPPED.reduce((sum, name) => sum + number(name), 0),
  }
}

/** Words for tests that prove nothing. The last two are pytest's words for tests that were expected to fail. */
const SKIPPED = ["skipped", "deselected", "todo", "xfailed", "xpassed"]
const WORDS = `(?:passed|failed|errors?|${SKIPPED.join("|")})\\b`
const SUMMARY = new RegExp(`^Tests:? |^=+ .+ =+$|^\\d+ ${WORDS}`)
const COUNTED = new RegExp(`\\d ${WORDS}|^Tests: +0 total$`)

/** Parses Mocha summaries: `3 passing (12ms)`. */
function mocha(lines: string[]): TestCounts | undefined {
  const passed = lastNumber(lines, /^\s*(\d+) passing\b/)
  if (passed === undefined) return undefined
  const failed = lastNumber(lines, /^\s*(\d+) failing\b/) ?? 0
  return { passed, failed, skipped: lastNumber(lines, /^\s*(\d+) pending\b/) ?? 0 }
}

/**
 * Parses unittest summaries: `Ran 3 tests in 0.001s`, then `OK (skipped=1, expected failures=1)` or
 * `FAILED (failures=1, errors=1)`. Expected failures count as skipped, because they prove nothing.
 */
function unittest(lines: string[]): TestCounts | undefined {
  const ran = lastNumber(lines, /^Ran (\d+) tests? in /)
  if (ran === undefined) return undefined
  const end = lines.findLast((line) => /^(?:OK|FAILED|NO TESTS RAN)\b/.test(line)) ?? ""
  const number = (what: string) => Number(new RegExp(`[(,] ?${what}=(\\d+)`).exec(end)?.[1] ?? 0)
  const failed = number("failures") + number("errors") + number("unexpected successes")
  const skipped = number("skipped") + number("expected failures")
  return { passed: Math.max(0, ran - failed - skipped), failed, skipped }
}

/**
 * Recognises programs that succeed although they found no tests, such as `No test files found, exiting with code 0`.
 */
function none(lines: string[]): TestCounts | undefined {
  return lines.some((line) => NONE.test(line.trim())) ? { passed: 0, failed: 0, skipped: 0 } : undefined
}

const NONE =
  /^(?:\[INFO\] )?(?:No tests? (?:files? |suites? |modules? )?(?:found|executed|to run)\b|Tests +no tests$|=*\s?no tests ran in \d|No test is available in |1\.\.0$)/i

function lastNumber(lines: string[], what: RegExp): number | undefined {
  const found = lines.map((line) => what.exec(line.trimEnd())).findLast((match) => match !== null)
  return found ? Number(found[1]) : undefined
}
