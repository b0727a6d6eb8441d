import { fileURLToPath } from "node:url"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { type Check, findChecks, isAtLeast, oldestNode } from "@switchyard/core/work/gate/find-checks"
import { readProject } from "@switchyard/core/work/gate/read-project"
import type { CheckInput, CheckResult, Verdict } from "@switchyard/core/work/gate/schema"
import { countTests } from "@switchyard/core/work/gate/test-counts"
import { judgeTests, notRun, verdictOf } from "@switchyard/core/work/gate/verdict"
import type { RunContext, RunWork } from "@switchyard/core/work/runs/run-context"
import { diskOf, fillPlace, findPlace, type Place, type PlaceDeps, runInPlace } from "./place.ts"
import type { CommandEnd } from "./run-command.ts"

const LIMIT_MS: Record<Check["name"], number> = { install: 300_000, build: 300_000, test: 300_000, start: 60_000 }
/** A server that hasn't answered by then is taken for a program that isn't one. */
const STARTS_WITHIN_MS = 20_000
const TOLD_OUTPUT = 6000

const START_PROBE = fileURLToPath(new URL("start-probe.js", import.meta.url))

/**
 * The work of a check: installs, builds, tests and starts a clean copy of the files, as a user of its own and in a sandbox
 * where the machine has them. It completes with what that showed; the first command that fails is the last.
 */
export function createCheckRun(deps: PlaceDeps): RunWork<CheckInput> {
  return async (context) => {
    const { sid, signal, input } = context
    const at = { version: input.workspace_version, manifest: input.manifest }
    const state = context.state()
    const workspace = await openWorkspace(deps, { sid, state }, { at, signal })
    const project = await readProject(workspace, { signal })
    const checks = findChecks(project, input.commands)
    if (checks.length === 0) return context.conclude(notRun(NOTHING_FOUND, at.version))

    const place = await findPlace(deps, { purpose: "checks", sid }, checks)
    if ("missing" in place) return context.conclude(notRun(missingProgram(place), at.version))
    const { incarnation } = state.session
    await context.awaitExternal(() => fillPlace(deps, place, { sid, incarnation }, workspace.manifest, { signal }))
    try {
      const tooOld = await tooOldNode(deps, oldestNode(project), place, signal)
      context.conclude(tooOld ? notRun(tooOld, at.version) : await runChecks(deps, context, checks, place))
    } finally {
      await diskOf(place).remove(place.cwd)
    }
  }
}

/** Runs the checks up to the first that fails, and tells the log of each. */
async function runChecks(
  deps: PlaceDeps,
  context: RunContext<CheckInput>,
  checks: Check[],
  place: Place,
): Promise<Verdict> {
  const { workspace_version } = context.input
  const results: CheckResult[] = []
  for (const check of checks) {
    const { name, command } = check
    await context.write([{ type: "check_started", name, command }])
    const end = await context.awaitExternal(() => runCheck(deps, check, place, context.signal))
    if (name === "install" && end.exitCode !== 0 && UNREACHABLE.test(end.output)) {
      return notRun("The packages that the project needs could not be fetched.", workspace_version)
    }
    const result = resultOf(check, end)
    results.push(result)
    // Where the copy is says nothing to anybody.
    const output = end.output.replaceAll(`${place.cwd}/`, "").trim().slice(-TOLD_OUTPUT)
    await context.write([{ type: "check_finished", ...result, workspace_version, output }])
    if (!result.passed) break
  }
  return verdictOf(workspace_version, results)
}

async function runCheck(
  deps: PlaceDeps,
  { name, command, network = false }: Check,
  place: Place,
  signal: AbortSignal,
): Promise<CommandEnd> {
  const shell = { file: "/bin/sh", args: ["-c", command] }
  const limits = { network, limitMs: LIMIT_MS[name], signal }
  if (name !== "start") return runInPlace(deps, shell, place, limits)
  const isAlone = (await deps.confinement()).means === "bubblewrap"
  const args = [START_PROBE, command, String(STARTS_WITHIN_MS), isAlone ? "alone" : "shared"]
  return runInPlace(deps, { file: process.execPath, args }, place, limits)
}

/** The reason for which nothing can be said of a project that declares a newer Node than this machine's. */
async function tooOldNode(
  deps: PlaceDeps,
  oldest: string | undefined,
  place: Place,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (oldest === undefined) return undefined
  const asking = { file: "/bin/sh", args: ["-c", "node --version"] }
  const { output } = await runInPlace(deps, asking, place, { network: false, limitMs: LIMIT_MS.start, signal })
  const version = /^v\d+\.\d+\.\d+/m.exec(output)?.[0]
  if (version === undefined || isAtLeast(version, oldest)) return undefined
  return `The project needs Node ${oldest} or newer, and this machine has ${version.slice(1)}.`
}

function resultOf({ name, command, set }: Check, { exitCode, isTooLate, durationMs, output }: CommandEnd): CheckResult {
  const tests = name === "test" ? countTests(output) : undefined
  const judged = name === "test" ? judgeTests(exitCode, tests) : { passed: exitCode === 0 }
  const lastLine = name === "start" ? output.trim().split("\n").at(-1) : undefined
  const reason = isTooLate ? `It was stopped after ${LIMIT_MS[name] / 60_000} minutes.` : (judged.reason ?? lastLine)
  return {
    ...{ name, command, passed: judged.passed, exit_code: exitCode, duration_ms: durationMs },
    ...(set && { set }),
    ...(tests && { tests }),
    ...(reason !== undefined && { reason }),
  }
}

/** What package managers print where there is no way to the registry. */
export const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|Could not resolve host|no such host)\b/

const NOTHING_FOUND = "The project has no command by which it could be built, tested or started."

/** The reason for which nothing can be run where a program isn't there. */
export function missingProgram({ missing }: { missing: string }): string {
  return `There is no ${missing} on this machine.`
}
