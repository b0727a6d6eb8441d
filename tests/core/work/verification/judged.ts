import type { NewEvent } from "@switchyard/core/events"
import type { ProjectFiles } from "@switchyard/core/work/gate/check"
import { findChecks } from "@switchyard/core/work/gate/find-checks"
import type { CheckCommands, CheckName, CheckResult, Verdict } from "@switchyard/core/work/gate/schema"
import { reportsTests } from "@switchyard/core/work/gate/silent-tests"
import { countTests } from "@switchyard/core/work/gate/test-counts"
import { judgeTests, notRun, verdictOf } from "@switchyard/core/work/gate/verdict"
import { endRun } from "@switchyard/core/work/runs/rules"
import type { ChangedFile } from "@switchyard/core/work/verification/changed-file"
import { type Evidence, type Judgement, judge } from "@switchyard/core/work/verification/judge"
import { changedTests, describeTests, findTampering } from "@switchyard/core/work/verification/tampering"
import { claimed, created, opened, stateAfter, verdict } from "../../kernel/folded.ts"

export type Files = Record<string, string>

/** Result of a command. */
export interface Ran {
  exitCode?: number | null
  output?: string
}

/** An agent's work and its evidence. Omitted fields have the values of good work. */
export interface Work {
  before?: Files
  /** Changes to the files in `before`. Null deletes a file. */
  changes?: Record<string, string | null>
  commands?: CheckCommands
  mayChangeTests?: boolean
  outcome?: Evidence["outcome"]
  summary?: Partial<NonNullable<Evidence["summary"]>> | null
  /** Result of the test command on the changed files, and of other commands. */
  tests?: Ran
  commandsRan?: Partial<Record<CheckName, Ran>>
  /** Result of the test command with the original tests. */
  oldTests?: Ran
  /** Reason why no command ran. */
  notRun?: string
  /** Checked commit, and commit of the final verdict. */
  checked?: string
  ended?: string
  /** Events between the verdict and the run's end. */
  afterwards?: NewEvent[]
  /** True if the work has no judgement. */
  unjudged?: boolean
}

export const PASSES: Ran = {
  exitCode: 0,
  output: "ℹ tests 2\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n",
}
export const FAILS: Ran = {
  exitCode: 1,
  output: "ℹ tests 2\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n",
}

const COMMIT = "c0ffee"
const main = { run_id: "run_1", agent_id: "main" }

export const project: Files = {
  "package.json": JSON.stringify({ scripts: { test: "node --test" } }),
  "sum.js": "export const add = (a, b) => a - b\n",
  "sum.test.js": 'test("adds", () => assert.equal(add(1, 2), 3))\n',
}
const repaired = { "sum.js": "export const add = (a, b) => a + b\n" }

function filesOf(files: Files): ProjectFiles {
  return { has: (path) => Object.hasOwn(files, path), text: (path) => files[path], paths: () => Object.keys(files) }
}

/** Judges recorded work as the runner does. */
export function judged(work: Work): Judgement {
  const { before = project, changes = repaired, commands, outcome = "completed", checked = COMMIT } = work
  const after = Object.fromEntries(
    Object.entries({ ...before, ...changes }).filter((file): file is [string, string] => file[1] !== null),
  )
  const changed = Object.keys(changes).map(
    (path): ChangedFile => ({ path, before: before[path] ?? null, after: after[path] ?? null }),
  )
  const comparison = { base: filesOf(before), head: filesOf(after), changed }
  const namesOf = (files: Files) => findChecks(filesOf(files), commands).map(({ name }) => name)
  const hadTests = namesOf(before).includes("test")
  const weakened = hadTests && !work.mayChangeTests ? changedTests(comparison) : []
  const about = {
    change_summary: "Mended.",
    files_changed: Object.keys(changes),
    completion_status: "success" as const,
  }
  return judge({
    ...{ outcome, commit: COMMIT, changed: Object.keys(changes) },
    summary: work.summary === null ? undefined : { ...about, ...work.summary },
    verdict: work.notRun ? notRun(work.notRun, { commit: checked }) : verdictOn(after, checked, work, work.tests),
    ...{ checksBefore: namesOf(before), checksAfter: namesOf(after) },
    reportsTests: reportsTests(comparison.head, commands ?? {}),
    changedTests: describeTests(comparison),
    tampering: work.mayChangeTests ? [] : findTampering(comparison, commands),
    originalTests: weakened.length > 0 ? verdictOn(before, checked, work, work.oldTests ?? FAILS) : undefined,
  })
}

function verdictOn(files: Files, commit: string, { commands, commandsRan }: Work, tests: Ran = PASSES): Verdict {
  const checks = findChecks(filesOf(files), commands)
  if (checks.length === 0) return notRun("Nothing to run.", { commit })
  const results: CheckResult[] = []
  for (const { name, command, set } of checks) {
    const { exitCode = 0, output = "" } = commandsRan?.[name] ?? (name === "test" ? tests : {})
    const counts = name === "test" ? countTests(output) : undefined
    const { passed, reason } =
      name === "test" ? judgeTests(exitCode, counts) : { passed: exitCode === 0, reason: undefined }
    const about = { name, command, passed, exit_code: exitCode, duration_ms: 1 }
    results.push({ ...about, ...(set && { set }), ...(counts && { tests: counts }), ...(reason && { reason }) })
    if (!passed) break
  }
  return verdictOf({ commit }, results)
}

/** Returns the outcome of ending a run whose executor considers this work done: event types or a refusal's code. */
export function endOf(work: Work): string[] | string {
  const { verdict: said, ...rest } = judged(work)
  const passed = rest.result === "passed" || rest.result === "nothing_to_check"
  const attempt: NewEvent = {
    ...{ type: "verification_attempt", ...main, attempt_number: 1, commit: said.commit ?? COMMIT, passed, ...rest },
    verdict: said,
  }
  const begun = [opened(), { ...created(), verify: true }, claimed(1)]
  const state = stateAfter([...begun, ...(work.unjudged ? [] : [attempt]), ...(work.afterwards ?? [])])
  const end = { type: "run_completed" as const, verdict: { ...said, commit: work.ended ?? said.commit } }
  return verdict(endRun("run_1", 1, 2000, end), state)
}
