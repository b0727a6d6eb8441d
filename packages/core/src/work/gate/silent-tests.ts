import type { ProjectFiles } from "./check.ts"
import { findChecks, testDefinition } from "./find-checks.ts"
import type { RepositoryChecks } from "./schema.ts"

/** Programs whose output always ends with the number of tests. */
const REPORTING = /\b(?:vitest|jest|mocha|pytest|unittest)\b|\b(?:go|cargo) test\b/
const NODE = /\bnode\b/
const NODE_TESTS = /\s--test(?:\s|$)/
/** Matches options and operators that change the format or destination of a report, or that exclude test files. */
const UNUSUAL = /reporter|json|silent|quiet|pattern|only|shard|[>|]/

/**
 * Returns true if a project's test command always prints the number of tests that ran. If its output contains no
 * number, no tests ran.
 */
export function reportsTests(project: ProjectFiles, set: RepositoryChecks): boolean {
  const check = findChecks(project, set).find(({ name }) => name === "test")
  if (!check) return false
  const text = check.set ? check.command : `${check.command}\n${testDefinition(project)}`
  const isReporting = REPORTING.test(text) || (NODE.test(text) && NODE_TESTS.test(text))
  return isReporting && !UNUSUAL.test(text)
}

/**
 * Returns the files that Node's test runner reports as one passed test each, because these files reported no tests
 * themselves.
 */
export function filesAsTests(output: string): string[] {
  return output.split("\n").flatMap((line) => {
    const [, path = ""] = FILE_AS_TEST.exec(line.trimEnd()) ?? []
    return path === "" ? [] : [path]
  })
}

/**
 * Returns the last report of Node's test runner. If a command starts the test runner several times, only the last
 * report counts.
 */
export function lastReport(output: string): string {
  const lines = output.split("\n")
  const ends = lines.flatMap((line, at) => (/^(?:ℹ|#) pass \d+$/.test(line.trimEnd()) ? [at] : []))
  return lines.slice((ends.at(-2) ?? -1) + 1).join("\n")
}

/**
 * Returns true if a file without test functions can fail, which makes it a test itself: it asserts, throws, or exits
 * with a nonzero code. A file that is empty or contains only comments always passes.
 */
export function canFail(text: string): boolean {
  const code = text.replaceAll(STRING_OR_COMMENT, "")
  return /(?<![\w.])assert[\w.]*\s*\(|\bexpect\s*\(|\bthrow\b|\bprocess\.exit(?:\((?!0?\))|Code\s*=)/.test(code)
}

// Escaped quotes are matched separately, because each would otherwise start a search for a closing quote that might not
// exist.
const STRING_OR_COMMENT =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|\\[\s\S]|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

/** Matches a file reported as a passed test, in the human-readable, TAP and JUnit formats. */
const FILE_AS_TEST = /^(?:✔ |ok \d+ - |\s*<testcase name=")(\S+\.[cm]?[jt]sx?)(?:"[^>]*\/>| \(\d\S*ms\))?$/

/** Returns true if a file always calls Node's test functions when it runs, so that its tests must be reported. */
export function declaresTests(text: string): boolean {
  return /["']node:test["']/.test(text) && /^(?:await )?(?:test|it|describe|suite)(?:\.\w+)?\s*\(/m.test(text)
}
