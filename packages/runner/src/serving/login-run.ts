import { join } from "node:path"
import type { CliLogin } from "@switchyard/core/agents/clis/cli"
import { loginOf } from "@switchyard/core/agents/clis/clis"
import type { LoginFiles } from "@switchyard/core/agents/runner/login-files"
import type { LoginInput } from "@switchyard/core/agents/runner/login-schema"
import { AppError } from "@switchyard/core/errors"
import type { RunContext, RunWork } from "@switchyard/core/work/runs/run-context"
import { agentEnvironment } from "../agents/agent-environment.ts"
import type { Attachments } from "../agents/attachments.ts"
import { createConcealment } from "../agents/concealment.ts"
import { prepareHome } from "../agents/task-program.ts"
import { openTerminalProgram, type TerminalProgramDeps } from "../agents/terminal-program.ts"
import { type Files, ownFiles } from "../files/files.ts"
import type { Exit } from "../processes/program.ts"
import type { InstallDeps } from "../programs/install.ts"
import { resolveProgram } from "../programs/resolve-program.ts"
import { confineProgram } from "../sandbox/confine-program.ts"
import type { Confinement } from "../sandbox/confinement.ts"
import type { Sandbox, WorktreeUser } from "../sandbox/sandbox.ts"
import type { AskLogins } from "./host.ts"
import { openLoginHome } from "./login-home.ts"

/** Home for logging in to a session's agent CLI. It is removed after the login. */
export interface LoginPlace {
  home: string
  disk: Files
  user: WorktreeUser | undefined
}

export interface LoginRunDeps extends Omit<TerminalProgramDeps, "keepRecording" | "concealment"> {
  attachments: Attachments
  place: LoginPlace
  confinement: Confinement
  install: InstallDeps
  /** Folders to search for agent CLIs before `PATH`. */
  programs: string[]
  /** True if the person logs in on this machine, so that their browser can reach the program. */
  hasBrowser: boolean
  /** The runner's own environment. */
  host: Record<string, string | undefined>
  /** Folder for named pipes. */
  folder: string
  ask: AskLogins
}

const SIZE = { rows: 24, cols: 100 }
const WITHIN_MS = 15 * 60_000
/** Name of the user that runs login programs, if programs run as separate users. No worktree uses this name. */
const USER = "(login)"

export function loginPlace(sandbox: Sandbox | undefined, { homes, sid }: { homes: string; sid: string }): LoginPlace {
  const user = sandbox?.userOf(USER, "own")
  return { home: user?.homeOf("login") ?? join(homes, "login", sid), disk: user?.files ?? ownFiles, user }
}

/**
 * Returns the function that carries out a login run. It runs the CLI's login command in a terminal, with an empty home
 * that is always removed. If the login succeeds, it is stored in the account. If the runner dies, the command isn't
 * repeated, because the person has left by then.
 */
export function createLoginRun(deps: LoginRunDeps): RunWork<LoginInput> {
  const { place, ask } = deps
  return async (context) => {
    const { runId, signal, input } = context
    const { account, agent } = input
    const login = loginOf(agent)
    if (!login?.command) throw new AppError("task_invalid", "This agent doesn't have its own login.")
    try {
      if (await wasBegun(context)) throw unfinished("The login was interrupted by a restart. Start it again.")
      await prepareHome(place.user, place.home, [
        { path: ".tmp/.keep", content: "" },
        { path: `${login.folder}/.keep`, content: "" },
      ])
      const files = await logIn(deps, context, login)
      const { state } = await ask({ act: "give", run_id: runId, account, files }, { signal })
      if (state !== "given")
        throw unfinished("This login couldn't be stored in the account. The account may have changed.")
    } finally {
      await place.disk.remove(place.home)
    }
  }
}

/** Runs the login command and returns the files that it wrote. Throws unless the command exits successfully. */
async function logIn(deps: LoginRunDeps, context: RunContext<LoginInput>, login: CliLogin): Promise<LoginFiles> {
  const { clock, place } = deps
  const { agent: cli } = context.input
  const command = (!deps.hasBrowser && login.elsewhere) || login.command || []
  const home = await openLoginHome(place.home, { cli, disk: place.disk })
  const within = new AbortController()
  const signal = AbortSignal.any([context.signal, within.signal])
  const limit = clock.sleep(WITHIN_MS, { signal }).then(
    () => within.abort(),
    () => undefined,
  )
  try {
    const exit = await context.awaitExternal(() => runInTerminal(deps, context, { login, command, home, signal }))
    context.signal.throwIfAborted()
    if (within.signal.aborted) throw unfinished("The login took more than 15 minutes.")
    if (exit.exitCode !== 0) throw unfinished(`${command.join(" ")} exited without logging in.`)
    const files = await home.read()
    if (!files) throw unfinished(`${command.join(" ")} didn't leave a login.`)
    return files
  } finally {
    within.abort()
    await limit
  }
}

interface Started {
  login: CliLogin
  command: string[]
  home: Awaited<ReturnType<typeof openLoginHome>>
  signal: AbortSignal
}

/** Runs the command in a session terminal until it exits or the signal aborts. */
async function runInTerminal(
  deps: LoginRunDeps,
  context: RunContext<LoginInput>,
  { login, command, home, signal }: Started,
): Promise<Exit> {
  const { place, folder } = deps
  const env = environmentOf(deps, login)
  const program = await findProgram(deps, context, { command, path: env.PATH ?? "" })
  const terminals = deps.attachments.ofAgent("")
  const pty = deps.newId("pty")
  const title = command.join(" ")
  terminals.expectTerminal(pty)
  await context.record([{ type: "terminal_opened", pty, kind: "shell", title, ...SIZE }])
  // Mask secrets in the output as soon as the program has written them to its files.
  const concealment = createConcealment(home.renewedTokens)
  const shown = await openTerminalProgram({ ...deps, concealment }, pty, {
    ...{ ...program, cwd: place.home, env, folder, title, piped: false, ...SIZE },
    ...(place.user && { user: place.user }),
  })
  terminals.addTerminal(pty, shown.attached(shown.program.type))
  const end = () => void shown.program.kill().catch(deps.report)
  signal.addEventListener("abort", end, { once: true })
  if (signal.aborted) end()
  try {
    return await shown.program.exited
  } finally {
    signal.removeEventListener("abort", end)
    terminals.removeTerminal(pty)
    const { events } = await shown.close()
    await context.record(events)
  }
}

function environmentOf({ host, programs, place: { home } }: LoginRunDeps, { folder, variable }: CliLogin) {
  const env = agentEnvironment(host, { home, temporary: `${home}/.tmp`, programs })
  return variable === null ? env : { ...env, [variable]: `${home}/${folder}` }
}

async function findProgram(
  { install, place, confinement }: LoginRunDeps,
  { input: { agent: cli }, record, signal }: RunContext<LoginInput>,
  { command: [file = "", ...args], path }: { command: string[]; path: string },
) {
  const deps = { install, append: record }
  const found = await resolveProgram(deps, { cli, file, path }, { signal })
  if ("outcome" in found) throw unfinished(found.outcome.message)
  const program = { file: found.file, args: [...found.args, ...args] }
  const { home, user } = place
  return confineProgram({ confinement, user }, program, { cwd: home, writable: [home], path, network: true })
}

async function wasBegun({ history }: RunContext<LoginInput>): Promise<boolean> {
  for await (const { type } of history()) if (type === "terminal_opened") return true
  return false
}

function unfinished(message: string): AppError {
  return new AppError("task_unfinished", message, {
    hint: "The account hasn't changed. You can try logging in again at any time.",
  })
}
