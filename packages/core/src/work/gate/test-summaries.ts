import { parseJson } from "../../text/parse-json.ts"
import { countGoTests } from "./go-tests.ts"
import type { TestCounts } from "./schema.ts"

/**
 * Parses the summary of cargo-nextest:
 * `Summary [ 0.1s] 5/6 tests run: 3 passed (1 slow), 1 failed, 1 timed out, 2 skipped`.
 */
export function nextest(lines: string[]): TestCounts | undefined {
  return sumOf(lines, /^\s*Summary \[[^\]]+\] (?:\d{1,9}\/)?\d{1,9} tests? run: (.+)$/, (text) => ({
    passed: numberIn(text, /(\d{1,9}) passed/),
    failed:
      numberIn(text, /(\d{1,9}) failed/) +
      numberIn(text, /(\d{1,9}) exec failed/) +
      numberIn(text, /(\d{1,9}) timed out/),
    skipped: numberIn(text, /(\d{1,9}) skipped/),
  }))
}

/**
 * Parses RSpec's summary, one line per run: `3 examples, 1 failure, 1 pending, 1 error occurred outside of examples`.
 */
export function rspec(lines: string[]): TestCounts | undefined {
  return sumOf(lines, /^(\d{1,9} examples?, \d{1,9} failures?.*)$/, (text) => {
    const failures = numberIn(text, /(\d{1,9}) failure/)
    const skipped = numberIn(text, /(\d{1,9}) pending/)
    const passed = Math.max(0, numberIn(text, /^(\d{1,9}) example/) - failures - skipped)
    return { passed, failed: failures + numberIn(text, /(\d{1,9}) errors? occurred outside/), skipped }
  })
}

/** Parses Cargo's results, one line per test binary: `test result: ok. 3 passed; 0 failed; 0 ignored`. */
export function cargo(lines: string[]): TestCounts | undefined {
  return sumOf(lines, /^test result: \w+\. (\d{1,9} passed; \d{1,9} failed; \d{1,9} ignored)/, (text) => ({
    passed: numberIn(text, /(\d{1,9}) passed/),
    failed: numberIn(text, /(\d{1,9}) failed/),
    skipped: numberIn(text, /(\d{1,9}) ignored/),
  }))
}

/** Parses Maven's results, one line per module: `Tests run: 4, Failures: 1, Errors: 0, Skipped: 1`. */
export function maven(lines: string[]): TestCounts | undefined {
  const end = /^\s*(?:\[\w+\] )?(Tests run: \d{1,9}, Failures: \d{1,9}, Errors: \d{1,9}, Skipped: \d{1,9})$/
  return sumOf(lines, end, (text) => {
    const failed = numberIn(text, /Failures: (\d+)/) + numberIn(text, /Errors: (\d+)/)
    const skipped = numberIn(text, /Skipped: (\d+)/)
    return { passed: numberIn(text, /run: (\d+)/) - failed - skipped, failed, skipped }
  })
}

/**
 * Parses PHPUnit's summary: `OK (3 tests, 4 assertions)` or `Tests: 5, Assertions: 2, Failures: 1, Skipped: 1.` Risky
 * tests count as skipped, because they assert nothing.
 */
export function phpunit(lines: string[]): TestCounts | undefined {
  return sumOf(
    lines,
    /^(OK \(\d{1,9} tests?, \d{1,9} assertions?\)|Tests: \d{1,9}, Assertions: \d{1,9}.*)$/,
    (text) => {
      const named = (name: string) => numberIn(text, new RegExp(`, ${name}: (\\d{1,9})`))
      const failed = named("Errors") + named("Failures")
      const skipped = named("Skipped") + named("Incomplete") + named("Risky")
      const all = numberIn(text, /^(?:OK \(|Tests: )(\d{1,9})/)
      return { passed: Math.max(0, all - failed - skipped), failed, skipped }
    },
  )
}

/**
 * Parses .NET's results, one line per assembly: `Passed! - Failed: 0, Passed: 3, Skipped: 1, Total: 4, …`. Also parses
 * totals in other formats: `Test summary: total: 4, failed: 0, succeeded: 3, skipped: 1, …`, which may span several
 * lines.
 */
export function dotnet(lines: string[]): TestCounts | undefined {
  const sum = lines.findLastIndex((line) => /^\s*Test (?:run )?summary: /.test(line))
  const text = lines.slice(sum, sum + SUMMARY_LINES).join("\n")
  if (sum >= 0 && /\btotal: \d/.test(text)) {
    const number = (name: string) => numberIn(text, new RegExp(`\\b${name}: (\\d{1,9})`))
    return { passed: number("succeeded"), failed: number("failed"), skipped: number("skipped") }
  }
  return sumOf(lines, /^\s*(?:Passed|Failed|Skipped)!\s+- (Failed:.+)$/, (each) => ({
    passed: numberIn(each, /Passed:\s+(\d{1,9})/),
    failed: numberIn(each, /Failed:\s+(\d{1,9})/),
    skipped: numberIn(each, /Skipped:\s+(\d{1,9})/),
  }))
}

const SUMMARY_LINES = 6

/** Parses the output of `go test -json`. First joins the output of each package, because packages run concurrently. */
export function goJson(lines: string[]): TestCounts | undefined {
  const said = new Map<string, string>()
  for (const line of lines) {
    const event = line.startsWith("{") ? parseJson(line) : undefined
    if (!isGoOutput(event)) continue
    said.set(event.Package, (said.get(event.Package) ?? "") + event.Output)
  }
  return said.size === 0 ? undefined : countGoTests([...said.values()].flatMap((text) => text.split("\n")))
}

function isGoOutput(event: unknown): event is { Package: string; Output: string } {
  if (typeof event !== "object" || event === null) return false
  const { Action, Package, Output } = event as Record<string, unknown>
  return Action === "output" && typeof Package === "string" && typeof Output === "string"
}

/** Adds up the counts in all lines that match `what`. Undefined if no line matches. */
function sumOf(lines: string[], what: RegExp, read: (text: string) => TestCounts): TestCounts | undefined {
  const found = lines.flatMap((line) => what.exec(line.trimEnd())?.[1] ?? []).map(read)
  if (found.length === 0) return undefined
  const sum = (name: keyof TestCounts) => found.reduce((all, one) => all + one[name], 0)
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") }
}

function numberIn(text: string, what: RegExp): number {
  return Number(what.exec(text)?.[1] ?? 0)
}
