import { fileURLToPath } from "node:url"
import type { Check, ProjectFiles } from "@switchyard/core/work/gate/check"
import { errorLines, shortenOutput } from "@switchyard/core/work/gate/check-output"
import { findChecks, whyNoChecks } from "@switchyard/core/work/gate/find-checks"
import { GO_TELLS_TESTS, withoutPassedPackages } from "@switchyard/core/work/gate/go-tests"
import { oldestNode, withInstallScripts } from "@switchyard/core/work/gate/node-project"
import {
  type CheckLimits,
  type CheckResult,
  PROCESS_MEMORY_BYTES,
  type RepositoryChecks,
  SERVER_ERROR_STATUS,
  START_LIMIT_SECONDS,
  USUAL_LIMIT_SECONDS,
  type Verdict,
} from "@switchyard/core/work/gate/schema"
import { reportsTests } from "@switchyard/core/work/gate/silent-tests"
import { type Checked, notRun, verdictOf } from "@switchyard/core/work/gate/verdict"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { storeBuildOutput } from "./build-output.ts"
import { findFilesAsTests, NO_FILES, resultOf, scriptsNote } from "./check-result.ts"
import { whyNotGuarded } from "./guarded.ts"
import { missingProgram } from "./missing-program.ts"
import { findBrowser, type OpenedPage, readOpenedPage, resultsFolder, storePicture } from "./page-results.ts"
import { blockedReason, NO_BROWSER, NOT_OPENED, whyTooOld } from "./why-not-run.ts"
import {
  diskOf,
  findWorkdir,
  type ProgramEnd,
  type Purpose,
  runInWorkdir,
  type Workdir,
  type WorkdirDeps,
} from "./workdir.ts"

/** Time limit for opening the page in a browser after the server has responded. It covers two attempts. */
const OPENS_WITHIN_MS = 110_000
const SHOWED_NOTHING = "The browser didn't show a page."
const TOLD_OUTPUT = 6000

const START_PROBE = fileURLToPath(new URL("start-probe.js", import.meta.url))

export interface CheckedFiles {
  purpose: Purpose
  /** Name of a temporary home. If undefined, the permanent home for the purpose is used. */
  once?: string
  project: ProjectFiles
  /** Commands defined by the user, with their time limits. */
  commands: RepositoryChecks | undefined
  /** Creates the workdir's home and copies the files into it. */
  fill: (workdir: Workdir) => Promise<void>
  checked: Checked
}

type CheckContext = Pick<RunContext<unknown>, "sid" | "signal" | "state" | "write" | "awaitExternal">

/** Checks files by running them and returns the verdict. */
export async function checkFiles(
  deps: WorkdirDeps,
  context: CheckContext,
  { purpose, once, project, commands, fill, checked }: CheckedFiles,
): Promise<Verdict> {
  const { sid, signal } = context
  const browser = await findBrowser(deps.host.PATH ?? "")
  // Tests of an older commit run only to find out whether they pass, so the project needn't be started.
  const all = findChecks(project, commands).filter(({ name }) => !("tests_of" in checked) || name !== "start")
  const found = all.some(({ name }) => name !== "install") ? all : []
  const checks = found.filter(({ page }) => page === undefined || browser !== undefined)
  if (checks.length === 0) return notRun(found.length === 0 ? whyNoChecks(project) : NO_BROWSER, checked)
  const unguarded = await whyNotGuarded(deps, checks)
  if (unguarded !== undefined) return notRun(unguarded, checked)
  const workdir = await findWorkdir(deps, { purpose, sid, once }, checks)
  if ("missing" in workdir) return notRun(missingProgram(workdir), checked)
  await context.awaitExternal(() => fill(workdir))
  try {
    const tooOld = await whyTooOld(deps, oldestNode(project), workdir, { limitMs: limitMsOf("start"), signal })
    const opening = {
      ...workdir,
      browser,
      needs: browser ? [...workdir.needs, browser] : workdir.needs,
      unscripted: withInstallScripts(project),
      reportsTests: reportsTests(project, commands ?? {}),
      paths: [...project.paths()],
      limits: commands?.limits_seconds ?? {},
    }
    return tooOld ? notRun(tooOld, checked) : await runChecks(deps, context, { checks, workdir: opening, checked })
  } finally {
    await diskOf(workdir).remove(once === undefined ? workdir.cwd : workdir.home)
  }
}

/**
 * Workdir for checks that may open a page. `unscripted` lists packages whose install scripts don't run. `reportsTests`
 * is true if the test command prints how many tests ran.
 */
type OpeningWorkdir = Workdir & {
  browser: string | undefined
  unscripted: string[]
  reportsTests: boolean
  paths: string[]
  limits: CheckLimits
}

/** Returns the time limit of a check in milliseconds. */
function limitMsOf(name: Check["name"], limits: CheckLimits = {}): number {
  return name === "start" ? startsWithinMs(limits) + OPENS_WITHIN_MS : (limits[name] ?? USUAL_LIMIT_SECONDS) * 1000
}

/**
 * Returns how long a program may take to respond, in milliseconds. A program that takes longer doesn't count as a
 * server.
 */
function startsWithinMs({ start = START_LIMIT_SECONDS }: CheckLimits): number {
  return start * 1000
}

/** Runs the checks until one of them fails. Logs each check. */
async function runChecks(
  deps: WorkdirDeps,
  context: CheckContext,
  { checks, workdir, checked }: { checks: Check[]; workdir: OpeningWorkdir; checked: Checked },
): Promise<Verdict> {
  const results: CheckResult[] = []
  for (const check of checks) {
    const { name, command } = check
    await context.write([{ type: "check_started", name, command }])
    const end = await context.awaitExternal(() => runCheck(deps, check, workdir, context.signal))
    const blocked = await blockedReason(deps, check, { end, workdir })
    if (
      blocked === undefined &&
      name === "start" &&
      (await tellOfPage(deps, context, { workdir, checked })) === undefined &&
      check.page !== undefined
    ) {
      // The page couldn't be shown, so neither success nor failure is proven.
      return results.length > 0 ? verdictOf(checked, results) : notRun(NOT_OPENED, checked)
    }
    const judged = resultOf(check, end, {
      blocked,
      files: name === "test" ? await findFilesAsTests(end, workdir, workdir) : NO_FILES,
      limitMs: limitMsOf(name, workdir.limits),
    })
    // Remove the path of the clean copy, because it means nothing to readers.
    const printed = withoutPassedPackages(end.output).replaceAll(`${workdir.cwd}/`, "").trim()
    const result = judged.passed || judged.blocked ? judged : { ...judged, errors: errorLines(printed) }
    results.push(result)
    const output = shortenOutput(result.errors ? printed + scriptsNote(workdir) : printed, TOLD_OUTPUT)
    await context.write([{ type: "check_finished", ...result, ...checked, output }])
    if (!result.passed) break
    const version = "workspace_version" in checked && !("tests_of" in checked) ? checked.workspace_version : undefined
    if (name === "build" && version !== undefined)
      await context.awaitExternal(() => storeBuildOutput(deps, context, workdir, version))
  }
  return verdictOf(checked, results)
}

/**
 * Logs the page that the check's browser opened, with a screenshot. Returns undefined if the browser opened no page.
 */
async function tellOfPage(
  deps: WorkdirDeps,
  context: CheckContext,
  { workdir, checked }: { workdir: OpeningWorkdir; checked: Checked },
): Promise<OpenedPage | undefined> {
  const { sid, write } = context
  const found = workdir.browser ? await readOpenedPage(workdir) : undefined
  if (!found) {
    const reason = workdir.browser ? SHOWED_NOTHING : NO_BROWSER
    await write([{ type: "page_opened", ...checked, picture: null, errors: [], other_hosts: [], reason }])
    return undefined
  }
  const { incarnation } = context.state().session
  const { errors, others: other_hosts, shot } = found
  const seen = shot
    ? { picture: await storePicture(deps.blobs, { sid, incarnation }, shot) }
    : { picture: null, reason: "The page never finished loading." }
  await write([{ type: "page_opened", ...checked, ...seen, errors, other_hosts }])
  return found
}

async function runCheck(
  deps: WorkdirDeps,
  { name, command, page, network = false }: Check,
  workdir: OpeningWorkdir,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  const shell = { file: "/bin/sh", args: ["-c", command] }
  const limits = { network, limitMs: limitMsOf(name, workdir.limits), signal }
  if (name !== "start") {
    const env = name === "test" ? { ...workdir.env, ...GO_TELLS_TESTS } : workdir.env
    return runInWorkdir(deps, shell, { ...workdir, env }, { ...limits, memoryBytes: PROCESS_MEMORY_BYTES })
  }
  const isAlone = (await deps.confinement()).means === "bubblewrap"
  const results = resultsFolder(workdir)
  await diskOf(workdir).remove(results)
  const what = page === undefined ? { command } : { page }
  const about = {
    ...{ ...what, limitMs: startsWithinMs(workdir.limits), failsFrom: SERVER_ERROR_STATUS },
    ...{ isAlone, browser: workdir.browser, results },
  }
  const args = [START_PROBE, JSON.stringify(about)]
  return runInWorkdir(deps, { file: process.execPath, args }, workdir, limits)
}
