import { AppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { namedWorktree } from "@switchyard/core/files/worktrees/names-schema"
import type { Clock } from "@switchyard/core/time"
import { shortenOutput } from "@switchyard/core/work/gate/check-output"
import type { Attachments } from "../../agents/attachments.ts"
import { openTerminalProgram, type TerminalProgramDeps } from "../../agents/terminal-program.ts"
import { type CommandDeps, runCommand } from "../../gate/run-command.ts"
import type { ProgramUser } from "../../processes/agent-user.ts"
import type { Command } from "../../sandbox/confinement.ts"

/** A command configured for a repository, and the command's environment. */
export interface Script {
  worktree: string
  command: string
  /** Program that runs the command. If necessary, the program is confined to the worktree's files. */
  program: Command
  cwd: string
  env: Record<string, string>
  /** Folder for pipes and recordings. */
  folder: string
  user: ProgramUser | undefined
}

const SETUP_LIMIT_MS = 30 * 60_000
/** Time limit of the clean-up command. It is short, because other work in the repository waits for the command. */
const CLEANUP_LIMIT_MS = 60_000
const SHOWN_OUTPUT = 4000

/**
 * Runs the set-up command in a terminal of its own, which people can watch and type into. Throws `setup_failed` if the
 * command fails.
 */
export async function runSetup(
  deps: TerminalProgramDeps & {
    clock: Clock
    attachments: Pick<ReturnType<Attachments["ofAgent"]>, "expectTerminal" | "addTerminal" | "removeTerminal">
    append: (events: NewEvent[]) => Promise<void>
  },
  { worktree, command, program, cwd, env, folder, user }: Script,
  { rows, cols, signal }: { rows: number; cols: number; signal: AbortSignal },
): Promise<void> {
  const { clock, attachments, append } = deps
  const startedAt = clock.monotonic()
  const about = { ...namedWorktree(worktree), script: "setup" as const }
  const pty = deps.newId("pty")
  attachments.expectTerminal(pty)
  await append([
    { type: "worktree_script_started", ...about, command },
    { type: "terminal_opened", pty, kind: "driver", title: "Set-up", rows, cols },
  ])
  const shown = await openTerminalProgram(deps, pty, {
    ...{ ...program, piped: false, cwd, env, folder, rows, cols, title: "Set-up" },
    ...(user && { user }),
  })
  attachments.addTerminal(pty, shown.attached(shown.program.type))
  const over = new AbortController()
  const limit = AbortSignal.any([signal, over.signal])
  const late = clock.sleep(SETUP_LIMIT_MS, { signal: limit }).catch(() => undefined)
  await Promise.race([shown.program.exited, late])
  over.abort()
  const output = shown.lastWords()
  const { exitCode, events } = await shown.close()
  attachments.removeTerminal(pty)
  const duration_ms = Math.round(clock.monotonic() - startedAt)
  await append([
    ...events,
    {
      type: "worktree_script_finished",
      ...about,
      exit_code: exitCode,
      duration_ms,
      output: shortenOutput(output, SHOWN_OUTPUT),
    },
  ])
  signal.throwIfAborted()
  requireSuccess(command, exitCode)
}

/** Runs a command of the set-up without a terminal. Throws `setup_failed` if the command fails. */
export async function runSetupUnseen(
  deps: CommandDeps & { family: string },
  { command, program, cwd, env, folder, user }: Omit<Script, "worktree">,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const place = { ...program, cwd, env, family: deps.family, folder, ...(user && { user }) }
  const { exitCode } = await runCommand(deps, place, { limitMs: SETUP_LIMIT_MS, signal })
  requireSuccess(command, exitCode)
}

function requireSuccess(command: string, exitCode: number | null): void {
  if (exitCode === 0) return
  const how = exitCode === null ? "was stopped" : `failed with exit code ${exitCode}`
  throw new AppError("setup_failed", `The repository's set-up command ${how}: ${command.split("\n")[0]}`, {
    exit_code: exitCode,
  })
}

/**
 * Runs a worktree's clean-up command before the worktree is deleted. If the command fails, the worktree is deleted
 * anyway.
 */
export async function runCleanup(
  deps: CommandDeps & { family: string; append: (events: NewEvent[]) => Promise<void> },
  { worktree, command, program, cwd, env, folder, user }: Script,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const about = { ...namedWorktree(worktree), script: "cleanup" as const }
  await deps.append([{ type: "worktree_script_started", ...about, command }])
  const place = { ...program, cwd, env, family: deps.family, folder, ...(user && { user }) }
  const end = await runCommand(deps, place, { limitMs: CLEANUP_LIMIT_MS, signal })
  const { exitCode: exit_code, durationMs: duration_ms, output } = end
  await deps.append([
    { type: "worktree_script_finished", ...about, exit_code, duration_ms, output: shortenOutput(output, SHOWN_OUTPUT) },
  ])
}
