import { join, relative, resolve } from "node:path"
import type { Check } from "@switchyard/core/work/gate/check"
import type { CheckResult, TestCounts } from "@switchyard/core/work/gate/schema"
import { canFail, declaresTests, filesAsTests, lastReport } from "@switchyard/core/work/gate/silent-tests"
import { countTests } from "@switchyard/core/work/gate/test-counts"
import { judgeTests } from "@switchyard/core/work/gate/verdict"
import type { CommandEnd } from "./run-command.ts"
import { diskOf, type ProgramEnd, type Workdir } from "./workdir.ts"

/** Determines a check's result from how its command ended and, for tests, from the command's output. */
export function resultOf(
  { name, command, set }: Check,
  end: CommandEnd,
  { blocked, files, limitMs }: { blocked: string | undefined; files: FilesAsTests; limitMs: number },
): CheckResult {
  const { exitCode, durationMs, output } = end
  if (blocked !== undefined) {
    const about = { name, command, passed: false, blocked: true, exit_code: exitCode, duration_ms: durationMs }
    return { ...about, ...(set && { set }), reason: blocked }
  }
  if (files.early !== undefined) {
    const reason = `${files.early} exited with code 0 before running its tests.`
    const about = { name, command, passed: false, exit_code: exitCode, duration_ms: durationMs }
    return { ...about, ...(set && { set }), reason }
  }
  const tests = name === "test" ? countWithout(countTests(output), files.empty) : undefined
  const judged = name === "test" ? judgeTests(exitCode, tests) : { passed: exitCode === 0 }
  const lastLine = name === "start" ? output.trim().split("\n").at(-1) : undefined
  const reason = whyStopped(end, limitMs) ?? judged.reason ?? lastLine
  return {
    ...{ name, command, passed: judged.passed, exit_code: exitCode, duration_ms: durationMs },
    ...(set && { set }),
    ...(tests && { tests }),
    ...(reason !== undefined && { reason }),
  }
}

function whyStopped({ isTooLate, filledDisk }: CommandEnd, limitMs: number): string | undefined {
  if (filledDisk) return "It was stopped because the disk was nearly full."
  return isTooLate ? `It exceeded its time limit of ${limitMs / 1000} s.` : undefined
}

const MAX_FILES_AS_TESTS = 200

/** Files without reported tests. For each such file, Node's test runner reports one passed test. */
export interface FilesAsTests {
  /** First file that exited before it reported any of its tests. */
  early?: string
  /** Number of files that can't fail, for example because they are empty. */
  empty: number
}

export const NO_FILES: FilesAsTests = { empty: 0 }

/** Finds files that a passing test command reported as one test each. `paths` are the project's files. */
export async function findFilesAsTests(
  { exitCode, output }: ProgramEnd,
  workdir: Workdir,
  { paths, reportsTests }: { paths: string[]; reportsTests: boolean },
): Promise<FilesAsTests> {
  const found: FilesAsTests = { empty: 0 }
  if (exitCode !== 0) return found
  const counted = new Set(filesAsTests(lastReport(output)))
  for (const named of filesAsTests(output).slice(0, MAX_FILES_AS_TESTS)) {
    const path = relative(workdir.cwd, resolve(workdir.cwd, named))
    // Workspace packages report their files relative to their own folder.
    const candidates = paths.filter((each) => each === path || each.endsWith(`/${path}`))
    const texts = await Promise.all(
      candidates.map((each) =>
        diskOf(workdir)
          .readText(join(workdir.cwd, each))
          .catch(() => ""),
      ),
    )
    if (texts.length === 0 || texts.some((text) => text !== undefined && !declaresTests(text) && canFail(text)))
      continue
    if (reportsTests && texts.every((text) => text !== undefined && declaresTests(text))) found.early ??= path
    if (counted.has(named)) found.empty++
  }
  return found
}

/** Subtracts files that contain no tests from the counts. */
function countWithout(tests: TestCounts | undefined, empty: number): TestCounts | undefined {
  return tests && { ...tests, passed: Math.max(0, tests.passed - empty) }
}

/**
 * Returns a hint for failures: packages that are compiled when they are installed are incomplete if their install
 * scripts don't run.
 */
export function scriptsNote({ unscripted }: { unscripted: string[] }): string {
  if (unscripted.length === 0) return ""
  const named = unscripted.slice(0, 5).join(", ")
  return `\n\nNote: checks don't run packages' install scripts, so anything these packages build on install is missing: ${named}.`
}
