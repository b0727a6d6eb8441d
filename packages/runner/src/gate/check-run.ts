import { join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import {
  type Check,
  findChecks,
  isAtLeast,
  oldestNode,
  type ProjectFiles,
  whyNoChecks,
  withInstallScripts,
} from "@switchyard/core/work/gate/find-checks"
import { readProject } from "@switchyard/core/work/gate/read-project"
import {
  type CheckInput,
  type CheckLimits,
  type CheckResult,
  type RepositoryChecks,
  START_LIMIT_SECONDS,
  USUAL_LIMIT_SECONDS,
  type Verdict,
} from "@switchyard/core/work/gate/schema"
import { declaresTests, filesAsTests, reportsTests } from "@switchyard/core/work/gate/silent-tests"
import { countTests } from "@switchyard/core/work/gate/test-counts"
import { type Checked, judgeTests, notRun, verdictOf } from "@switchyard/core/work/gate/verdict"
import type { RunContext, RunWork } from "@switchyard/core/work/runs/run-context"
import { whyNotGuarded } from "./guarded.ts"
import { findBrowser, type OpenedPage, readOpenedPage, resultsFolder, storePicture } from "./page-results.ts"
import {
  diskOf,
  fillPlace,
  fillPlaceOnce,
  findPlace,
  type Place,
  type PlaceDeps,
  type PlaceEnd,
  PROCESS_MEMORY_BYTES,
  type Purpose,
  runInPlace,
} from "./place.ts"
import type { CommandEnd } from "./run-command.ts"

/** The time in which a browser opens the page of a server that has answered. */
const OPENS_WITHIN_MS = 40_000
const TOLD_OUTPUT = 6000

const START_PROBE = fileURLToPath(new URL("start-probe.js", import.meta.url))

/**
 * The work of a check: installs, builds, tests and starts a clean copy of the files, as a user of its own and in a sandbox
 * where the machine has them. It completes with what that showed; the first command that fails is the last.
 */
export function createCheckRun(deps: PlaceDeps): RunWork<CheckInput> {
  return async (context) => {
    const { sid, runId, signal, input } = context
    const { workspace_version, commands, node_id } = input
    const state = context.state()
    const at = { version: workspace_version, manifest: input.manifest }
    const workspace = await openWorkspace(deps, { sid, state }, { at, signal })
    const project = await readProject(workspace, { signal })
    const { incarnation } = state.session
    const fillBy = node_id === undefined ? fillPlace : fillPlaceOnce
    const fill = (place: Place) => fillBy(deps, place, { sid, incarnation }, workspace.manifest, { signal })
    const files = { project, commands, fill }
    if (node_id === undefined) {
      const about = { ...files, purpose: "checks" as const, checked: { workspace_version } }
      return context.conclude(await checkFiles(deps, context, about))
    }
    // Several nodes of a team may be checked at once, so each check has a home of its own.
    const checked = { node_id, manifest: input.manifest ?? "" }
    context.conclude(await checkFiles(deps, context, { ...files, purpose: "nodes", once: runId, checked }))
  }
}

/** Files to check. */
export interface CheckedFiles {
  purpose: Purpose
  /** The name of a home that isn't kept; absent for the one of the purpose. */
  once?: string
  project: ProjectFiles
  /** Those that a person set, with their time limits. */
  commands: RepositoryChecks | undefined
  /** Makes the home of a place, and the copy of the files in it. */
  fill: (place: Place) => Promise<void>
  checked: Checked
}

type CheckContext = Pick<RunContext<unknown>, "sid" | "signal" | "state" | "write" | "awaitExternal">

/** Checks files by running them, and resolves to what that showed. */
export async function checkFiles(
  deps: PlaceDeps,
  context: CheckContext,
  { purpose, once, project, commands, fill, checked }: CheckedFiles,
): Promise<Verdict> {
  const { sid, signal } = context
  const browser = await findBrowser(deps.host.PATH ?? "")
  // Old tests are run to see whether they pass, and nothing else.
  const all = findChecks(project, commands).filter(({ name }) => !("tests_of" in checked) || name !== "start")
  const found = all.some(({ name }) => name !== "install") ? all : []
  const checks = found.filter(({ page }) => page === undefined || browser !== undefined)
  if (checks.length === 0) return notRun(found.length === 0 ? whyNoChecks(project) : NO_BROWSER, checked)
  const unguarded = await whyNotGuarded(deps, checks)
  if (unguarded !== undefined) return notRun(unguarded, checked)
  const place = await findPlace(deps, { purpose, sid, once }, checks)
  if ("missing" in place) return notRun(missingProgram(place), checked)
  await context.awaitExternal(() => fill(place))
  try {
    const tooOld = await tooOldNode(deps, oldestNode(project), place, signal)
    const opening = {
      ...place,
      browser,
      needs: browser ? [...place.needs, browser] : place.needs,
      unscripted: withInstallScripts(project),
      reportsTests: reportsTests(project, commands ?? {}),
      limits: commands?.limits_seconds ?? {},
    }
    return tooOld ? notRun(tooOld, checked) : await runChecks(deps, context, { checks, place: opening, checked })
  } finally {
    await diskOf(place).remove(once === undefined ? place.cwd : place.home)
  }
}

/**
 * A place with the browser that opens its page, if the machine has one, the packages whose install scripts don't run, whether
 * the test command says of every file what ran, and the time limits that people set.
 */
type OpeningPlace = Place & {
  browser: string | undefined
  unscripted: string[]
  reportsTests: boolean
  limits: CheckLimits
}

/** The milliseconds that a check may take. */
function limitMsOf(name: Check["name"], limits: CheckLimits = {}): number {
  return name === "start" ? startsWithinMs(limits) + OPENS_WITHIN_MS : (limits[name] ?? USUAL_LIMIT_SECONDS) * 1000
}

/** The milliseconds after which a server that hasn't answered is taken for a program that isn't one. */
function startsWithinMs({ start = START_LIMIT_SECONDS }: CheckLimits): number {
  return start * 1000
}

/** Runs the checks up to the first that fails, and tells the log of each. */
async function runChecks(
  deps: PlaceDeps,
  context: CheckContext,
  { checks, place, checked }: { checks: Check[]; place: OpeningPlace; checked: Checked },
): Promise<Verdict> {
  const results: CheckResult[] = []
  for (const check of checks) {
    const { name, command } = check
    await context.write([{ type: "check_started", name, command }])
    const end = await context.awaitExternal(() => runCheck(deps, check, place, context.signal))
    const hindered = whyHindered(check, end)
    if (hindered !== undefined) return notRun(hindered, checked)
    if (
      name === "start" &&
      (await tellOfPage(deps, context, { place, checked })) === undefined &&
      check.page !== undefined
    ) {
      // Nothing was shown, in either direction.
      return results.length > 0 ? verdictOf(checked, results) : notRun(NOT_OPENED, checked)
    }
    const result = resultOf(check, end, {
      early: await endedEarly(check, end, place),
      limitMs: limitMsOf(name, place.limits),
    })
    results.push(result)
    // Where the copy is says nothing to anybody.
    const printed = end.output.replaceAll(`${place.cwd}/`, "").trim()
    const output = (result.passed ? printed : printed + scriptsNote(place)).slice(-TOLD_OUTPUT)
    await context.write([{ type: "check_finished", ...result, ...checked, output }])
    if (!result.passed) break
  }
  return verdictOf(checked, results)
}

/** Tells the log what the check's browser showed, with its picture; undefined if it showed nothing. */
async function tellOfPage(
  deps: PlaceDeps,
  context: CheckContext,
  { place, checked }: { place: OpeningPlace; checked: Checked },
): Promise<OpenedPage | undefined> {
  const { sid, write } = context
  const found = place.browser ? await readOpenedPage(place) : undefined
  if (!found) {
    const reason = place.browser ? "What was built served no page." : NO_BROWSER
    await write([{ type: "page_opened", ...checked, picture: null, errors: [], other_hosts: [], reason }])
    return undefined
  }
  const { incarnation } = context.state().session
  const picture = await storePicture(deps.blobs, { sid, incarnation }, found)
  const { errors, others: other_hosts } = found
  await write([{ type: "page_opened", ...checked, picture, errors, other_hosts }])
  return found
}

async function runCheck(
  deps: PlaceDeps,
  { name, command, page, network = false }: Check,
  place: OpeningPlace,
  signal: AbortSignal,
): Promise<PlaceEnd> {
  const shell = { file: "/bin/sh", args: ["-c", command] }
  const limits = { network, limitMs: limitMsOf(name, place.limits), signal }
  if (name !== "start") return runInPlace(deps, shell, place, { ...limits, memoryBytes: PROCESS_MEMORY_BYTES })
  const isAlone = (await deps.confinement()).means === "bubblewrap"
  const results = resultsFolder(place)
  await diskOf(place).remove(results)
  const what = page === undefined ? { command } : { page }
  const about = { ...what, limitMs: startsWithinMs(place.limits), isAlone, browser: place.browser, results }
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
  const { output } = await runInPlace(deps, asking, place, { network: false, limitMs: limitMsOf("start"), signal })
  const version = /^v\d+\.\d+\.\d+/m.exec(output)?.[0]
  if (version === undefined || isAtLeast(version, oldest)) return undefined
  return `The project needs Node ${oldest} or newer, and this machine has ${version.slice(1)}.`
}

/** The first file of tests that ended before it reported any, though its program says that all is well; undefined if there is none. */
async function endedEarly(
  { name }: Check,
  { exitCode, output }: PlaceEnd,
  place: OpeningPlace,
): Promise<string | undefined> {
  if (name !== "test" || exitCode !== 0 || !place.reportsTests) return undefined
  const paths = filesAsTests(output).map((path) => relative(place.cwd, resolve(place.cwd, path)))
  for (const path of paths.filter((path) => !path.startsWith("..")).slice(0, MAX_FILES_AS_TESTS)) {
    const text = await diskOf(place)
      .readText(join(place.cwd, path))
      .catch(() => undefined)
    if (text !== undefined && declaresTests(text)) return path
  }
  return undefined
}

const MAX_FILES_AS_TESTS = 200

function resultOf(
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

/** The reason for which a command shows nothing about the project. */
function whyHindered({ name, network }: Check, end: PlaceEnd): string | undefined {
  if (end.exitCode !== 0 && NO_RUST.test(end.output)) return missingProgram({ missing: "Rust toolchain" })
  // A test that asks other hosts has itself to blame.
  return network && name !== "test" ? whyNotFetched(end) : undefined
}

const NO_RUST = /^error: rustup could not choose a version/m

/** The reason for which packages could not be had, where that is nothing that the project could mend. */
export function whyNotFetched({ exitCode, output, refused, unreached }: PlaceEnd): string | undefined {
  if (exitCode === 0) return undefined
  const [other] = refused
  if (other !== undefined) {
    return `Packages of ${other} can't be fetched here. SWITCHYARD_CHECK_HOSTS lists the hosts that checks may reach.`
  }
  const isUnreachable = unreached.length > 0 || UNREACHABLE.test(output)
  return isUnreachable ? "The packages that the project needs could not be fetched." : undefined
}

/** Messages of package managers that can't reach the registry. */
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|Could not resolve host|no such host)\b/

const NO_BROWSER = "There is no browser on this machine that could open the page."
const NOT_OPENED = "The browser of this machine could not open the page."

/** The reason for which nothing can be run where a program isn't there. */
export function missingProgram({ missing }: { missing: string }): string {
  return `There is no ${missing} on this machine.`
}

/** A hint for mending a failure: a package that compiles itself isn't there as it would be elsewhere. */
function scriptsNote({ unscripted }: OpeningPlace): string {
  if (unscripted.length === 0) return ""
  const named = unscripted.slice(0, 5).join(", ")
  return `\n\nNote: checks run no install scripts of packages, so what these make of themselves isn't there: ${named}.`
}
