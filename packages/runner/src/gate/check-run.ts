import { fileURLToPath } from "node:url"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { type Check, findChecks, isAtLeast, oldestNode } from "@switchyard/core/work/gate/find-checks"
import { readProject } from "@switchyard/core/work/gate/read-project"
import type { CheckInput, CheckResult, Verdict } from "@switchyard/core/work/gate/schema"
import { countTests } from "@switchyard/core/work/gate/test-counts"
import { judgeTests, notRun, verdictOf } from "@switchyard/core/work/gate/verdict"
import type { RunContext, RunWork } from "@switchyard/core/work/runs/run-context"
import { findBrowser, type OpenedPage, readOpenedPage, resultsFolder, storePicture } from "./page-results.ts"
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
    const browser = await findBrowser(deps.host.PATH ?? "")
    const found = findChecks(project, input.commands)
    const checks = found.filter(({ page }) => page === undefined || browser !== undefined)
    if (checks.length === 0) {
      return context.conclude(notRun(found.length === 0 ? NOTHING_FOUND : NO_BROWSER, at.version))
    }
    const place = await findPlace(deps, { purpose: "checks", sid }, checks)
    if ("missing" in place) return context.conclude(notRun(missingProgram(place), at.version))
    const { incarnation } = state.session
    await context.awaitExternal(() => fillPlace(deps, place, { sid, incarnation }, workspace.manifest, { signal }))
    try {
      const tooOld = await tooOldNode(deps, oldestNode(project), place, signal)
      const opening = { ...place, browser, needs: browser ? [...place.needs, browser] : place.needs }
      context.conclude(tooOld ? notRun(tooOld, at.version) : await runChecks(deps, context, checks, opening))
    } finally {
      await diskOf(place).remove(place.cwd)
    }
  }
}

/** A place with the browser that opens its page, if the machine has one. */
type OpeningPlace = Place & { browser: string | undefined }

/** Runs the checks up to the first that fails, and tells the log of each. */
async function runChecks(
  deps: PlaceDeps,
  context: RunContext<CheckInput>,
  checks: Check[],
  place: OpeningPlace,
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
    if (name === "start" && (await tellOfPage(deps, context, place)) === undefined && check.page !== undefined) {
      // Nothing was shown, in either direction.
      return results.length > 0 ? verdictOf(workspace_version, results) : notRun(NOT_OPENED, workspace_version)
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

/** Tells the log what the check's browser showed, with its picture; undefined if it showed nothing. */
async function tellOfPage(
  deps: PlaceDeps,
  context: RunContext<CheckInput>,
  place: OpeningPlace,
): Promise<OpenedPage | undefined> {
  const { sid, input, write } = context
  const { workspace_version } = input
  const found = place.browser ? await readOpenedPage(place) : undefined
  if (!found) {
    const reason = place.browser ? "What was built served no page." : NO_BROWSER
    await write([{ type: "page_opened", workspace_version, picture: null, errors: [], other_hosts: [], reason }])
    return undefined
  }
  const { incarnation } = context.state().session
  const picture = await storePicture(deps.blobs, { sid, incarnation }, found)
  const { errors, others: other_hosts } = found
  await write([{ type: "page_opened", workspace_version, picture, errors, other_hosts }])
  return found
}

async function runCheck(
  deps: PlaceDeps,
  { name, command, page, network = false }: Check,
  place: OpeningPlace,
  signal: AbortSignal,
): Promise<CommandEnd> {
  const shell = { file: "/bin/sh", args: ["-c", command] }
  const limits = { network, limitMs: LIMIT_MS[name], signal }
  if (name !== "start") return runInPlace(deps, shell, place, limits)
  const isAlone = (await deps.confinement()).means === "bubblewrap"
  const results = resultsFolder(place)
  await diskOf(place).remove(results)
  const what = page === undefined ? { command } : { page }
  const about = { ...what, limitMs: STARTS_WITHIN_MS, isAlone, browser: place.browser, results }
  const args = [START_PROBE, JSON.stringify(about)]
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

const NO_BROWSER = "There is no browser on this machine that could open the page."
const NOT_OPENED = "The browser of this machine could not open the page."
const NOTHING_FOUND = "The project has no command by which it could be built, tested or started."

/** The reason for which nothing can be run where a program isn't there. */
export function missingProgram({ missing }: { missing: string }): string {
  return `There is no ${missing} on this machine.`
}
