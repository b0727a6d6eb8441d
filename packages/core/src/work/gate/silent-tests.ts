import { findChecks, type ProjectFiles, testDefinition } from "./find-checks.ts"
import type { RepositoryChecks } from "./schema.ts"

/** The programs whose last lines always say how many tests ran. */
const REPORTING = /\b(?:vitest|jest|mocha|pytest|unittest)\b|\b(?:go|cargo) test\b/
const NODE = /\bnode\b/
const NODE_TESTS = /\s--test(?:\s|$)/
/** Options and operators by which they may say it otherwise, elsewhere, or not of every file. */
const UNUSUAL = /reporter|json|silent|quiet|pattern|only|shard|[>|]/

/** Whether a project's test command, by what it is, prints how many tests ran: where it prints nothing of that, none did. */
export function reportsTests(project: ProjectFiles, set: RepositoryChecks): boolean {
  const check = findChecks(project, set).find(({ name }) => name === "test")
  if (!check) return false
  const text = check.set ? check.command : `${check.command}\n${testDefinition(project)}`
  const isReporting = REPORTING.test(text) || (NODE.test(text) && NODE_TESTS.test(text))
  return isReporting && !UNUSUAL.test(text)
}

/**
 * The files that Node's test program reports as a test each that passed, as they are in its output: it does that with a file that
 * ends without having reported any of its own.
 */
export function filesAsTests(output: string): string[] {
  return output.split("\n").flatMap((line) => {
    const [, path = ""] = FILE_AS_TEST.exec(line.trimEnd()) ?? []
    return path === "" ? [] : [path]
  })
}

/** The output of Node's test program from its last time on, which is the one that is counted, where a command runs it more than once. */
export function lastReport(output: string): string {
  const lines = output.split("\n")
  const ends = lines.flatMap((line, at) => (/^(?:ℹ|#) pass \d+$/.test(line.trimEnd()) ? [at] : []))
  return lines.slice((ends.at(-2) ?? -1) + 1).join("\n")
}

/**
 * Whether a file without tests can fail as a whole, so that it is one itself: it asserts something, throws, or ends with another code than
 * 0. What is empty, or only a comment, passes whatever the project does.
 */
export function canFail(text: string): boolean {
  const code = text.replaceAll(STRING_OR_COMMENT, "")
  return /(?<![\w.])assert[\w.]*\s*\(|\bexpect\s*\(|\bthrow\b|\bprocess\.exit(?:\((?!0?\))|Code\s*=)/.test(code)
}

// An escaped quote begins no string: the end of a string that has none would be looked for from each.
const STRING_OR_COMMENT =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|\\[\s\S]|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

/** In the forms for people, of TAP and of JUnit. */
const FILE_AS_TEST = /^(?:✔ |ok \d+ - |\s*<testcase name=")(\S+\.[cm]?[jt]sx?)(?:"[^>]*\/>| \(\d\S*ms\))?$/

/** Whether a file of tests calls Node's test functions wherever it is run, so that it has some to report. */
export function declaresTests(text: string): boolean {
  return /["']node:test["']/.test(text) && /^(?:await )?(?:test|it|describe|suite)(?:\.\w+)?\s*\(/m.test(text)
}
