import { join, relative, resolve } from "node:path"
import type { Check } from "@switchyard/core/work/gate/find-checks"
import type { CheckResult } from "@switchyard/core/work/gate/schema"
import { declaresTests, filesAsTests } from "@switchyard/core/work/gate/silent-tests"
import { countTests } from "@switchyard/core/work/gate/test-counts"
import { judgeTests } from "@switchyard/core/work/gate/verdict"
import { diskOf, type Place, type PlaceEnd } from "./place.ts"
import type { CommandEnd } from "./run-command.ts"

/** The result of a check by the end of its command, and of tests by what they printed. */
export function resultOf(
  { name, command, set }: Check,
  end: CommandEnd,
  { early, limitMs }: { early: string | undefined; limitMs: number },
): CheckResult {
  const { exitCode, durationMs, output } = end
  if (early !== undefined) {
    const reason = `${early} ended before its tests had run, with an exit code of 0.`
    const about = { name, command, passed: false, exit_code: exitCode, duration_ms: durationMs }
    return { ...about, ...(set && { set }), reason }
  }
  const tests = name === "test" ? countTests(output) : undefined
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
  if (filledDisk) return "It was stopped, because the disk was nearly full."
  return isTooLate ? `It was stopped after its time limit of ${limitMs / 1000} s.` : undefined
}

const MAX_FILES_AS_TESTS = 200

/** The first file of tests that ended before it reported any, though its program says that all is well; undefined if there is none. */
export async function endedEarly({ exitCode, output }: PlaceEnd, place: Place): Promise<string | undefined> {
  if (exitCode !== 0) return undefined
  const paths = filesAsTests(output).map((path) => relative(place.cwd, resolve(place.cwd, path)))
  for (const path of paths.filter((path) => !path.startsWith("..")).slice(0, MAX_FILES_AS_TESTS)) {
    const text = await diskOf(place)
      .readText(join(place.cwd, path))
      .catch(() => undefined)
    if (text !== undefined && declaresTests(text)) return path
  }
  return undefined
}

/** A hint for mending a failure: a package that compiles itself isn't there as it would be elsewhere. */
export function scriptsNote({ unscripted }: { unscripted: string[] }): string {
  if (unscripted.length === 0) return ""
  const named = unscripted.slice(0, 5).join(", ")
  return `\n\nNote: checks run no install scripts of packages, so what these make of themselves isn't there: ${named}.`
}
