import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Clock } from "@switchyard/core/time"
import { type Check, findChecks, isAtLeast, oldestNode } from "@switchyard/core/work/gate/find-checks"
import { readProject } from "@switchyard/core/work/gate/read-project"
import type { CheckInput, CheckResult, Verdict } from "@switchyard/core/work/gate/schema"
import { countTests } from "@switchyard/core/work/gate/test-counts"
import { judgeTests, notRun, verdictOf } from "@switchyard/core/work/gate/verdict"
import type { RunContext, RunWork } from "@switchyard/core/work/runs/run-context"
import { agentEnvironment } from "../agents/agent-environment.ts"
import { prepareHome } from "../agents/task.ts"
import { ownFiles } from "../files/files.ts"
import type { Supervisor } from "../processes/supervisor.ts"
import { locate } from "../programs/locate.ts"
import { confineProgram } from "../sandbox/confine-program.ts"
import type { Command, Confinement } from "../sandbox/confinement.ts"
import type { Sandbox, WorktreeUser } from "../sandbox/sandbox.ts"
import { makeCleanCopy } from "./clean-copy.ts"
import { type CommandEnd, runCommand } from "./run-command.ts"

export interface CheckDeps {
  blobs: Blobs
  clock: Clock
  supervisor: Supervisor | undefined
  /** Identifies the programs of this session on this machine. */
  family: string
  /** Holds the names of pipes. */
  folder: string
  /** Holds the home of the checks' programs where they have no user of their own. */
  homes: string
  /** Present if programs run as other users. */
  sandbox?: Sandbox | undefined
  /** Confines the programs of checks. Opened with the first of them. */
  confinement: () => Promise<Confinement>
  /** The runner's own environment, of which programs get only a few variables. */
  host: Record<string, string | undefined>
  report: (error: unknown) => void
}

const LIMIT_MS: Record<Check["name"], number> = { install: 300_000, build: 300_000, test: 300_000, start: 60_000 }
/** A server that hasn't answered by then is taken for a program that isn't one. */
const STARTS_WITHIN_MS = 20_000
const TOLD_OUTPUT = 6000

const START_PROBE = fileURLToPath(new URL("start-probe.js", import.meta.url))

/** No name of a worktree: the user of the checks is theirs alone. */
export const CHECKS_USER = "(checks)"

/**
 * The work of a check: installs, builds, tests and starts a clean copy of the files, as a user of its own and in a sandbox
 * where the machine has them. It completes with what that showed; the first command that fails is the last.
 */
export function createCheckRun(deps: CheckDeps): RunWork<CheckInput> {
  return async (context) => {
    const { sid, signal, input } = context
    const at = { version: input.workspace_version, manifest: input.manifest }
    const state = context.state()
    const workspace = await openWorkspace(deps, { sid, state }, { at, signal })
    const project = await readProject(workspace, { signal })
    const checks = findChecks(project, input.commands)
    if (checks.length === 0) return context.conclude(notRun(NOTHING_FOUND, at.version))

    const user = deps.sandbox?.userOf(CHECKS_USER, "own")
    const home = user?.homeOf("checks") ?? join(deps.homes, "checks", sid)
    const env = environmentOf(deps, home)
    const needs: string[] = []
    for (const program of new Set(checks.map((check) => check.program))) {
      const found = await locate(program, env.PATH ?? "")
      if (!found) return context.conclude(notRun(`There is no ${program} on this machine.`, at.version))
      needs.push(found.file)
    }
    for (const program of new Set(checks.flatMap(({ others = [] }) => others))) {
      const found = await locate(program, env.PATH ?? "")
      if (found) needs.push(found.file)
    }
    await prepareHome(user, home, [{ path: ".tmp/.keep", content: "" }])
    const cwd = join(home, "project")
    const disk = user?.files ?? ownFiles
    const { incarnation } = state.session
    await context.awaitExternal(() =>
      makeCleanCopy({ ...deps, disk }, { sid, incarnation }, workspace.manifest, cwd, { signal }),
    )
    try {
      const place = { cwd, home, env, user, needs }
      const tooOld = await tooOldNode(deps, oldestNode(project), place, signal)
      context.conclude(tooOld ? notRun(tooOld, at.version) : await runChecks(deps, context, checks, place))
    } finally {
      await disk.remove(cwd)
    }
  }
}

interface Place {
  cwd: string
  home: string
  env: Record<string, string>
  user: WorktreeUser | undefined
  /** The files of the programs that the checks take. */
  needs: string[]
}

/** Runs the checks up to the first that fails, and tells the log of each. */
async function runChecks(
  deps: CheckDeps,
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
  deps: CheckDeps,
  { name, command, network = false }: Check,
  place: Place,
  signal: AbortSignal,
): Promise<CommandEnd> {
  const shell = { file: "/bin/sh", args: ["-c", command] }
  const limits = { network, limitMs: LIMIT_MS[name], signal }
  if (name !== "start") return runConfined(deps, shell, place, limits)
  const isAlone = (await deps.confinement()).means === "bubblewrap"
  const args = [START_PROBE, command, String(STARTS_WITHIN_MS), isAlone ? "alone" : "shared"]
  return runConfined(deps, { file: process.execPath, args }, place, limits)
}

async function runConfined(
  { clock, supervisor, family, folder, confinement, report }: CheckDeps,
  program: Command,
  { cwd, home, env, user, needs }: Place,
  { network, ...limits }: { network: boolean; limitMs: number; signal: AbortSignal },
): Promise<CommandEnd> {
  const place = { cwd, writable: [home], path: env.PATH ?? "", needs, network }
  const confined = await confineProgram({ confinement: await confinement(), user }, program, place)
  return runCommand({ clock, supervisor, report }, { ...confined, cwd, env, family, folder, user }, limits)
}

/** The reason for which nothing can be said of a project that declares a newer Node than this machine's. */
async function tooOldNode(
  deps: CheckDeps,
  oldest: string | undefined,
  place: Place,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (oldest === undefined) return undefined
  const asking = { file: "/bin/sh", args: ["-c", "node --version"] }
  const { output } = await runConfined(deps, asking, place, { network: false, limitMs: LIMIT_MS.start, signal })
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

/** The variables by which npm and pip find the packages of this machine. */
const REGISTRIES = /^(npm_config_registry|pip_index_url|goproxy)$/i

function environmentOf({ host }: CheckDeps, home: string): Record<string, string> {
  const registries = Object.entries(host).filter(([name, value]) => REGISTRIES.test(name) && !value?.includes("@"))
  return {
    ...agentEnvironment(host, { home, temporary: join(home, ".tmp"), programs: [] }),
    ...Object.fromEntries(registries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    CI: "true",
    NO_COLOR: "1",
    TERM: "dumb",
  }
}

/** What package managers print where there is no way to the registry. */
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|Could not resolve host|no such host)\b/

const NOTHING_FOUND = "The project has no command by which it could be built, tested or started."
