import type { CommandEnd } from "@switchyard/core/agents/runner/worktree-command-rules"
import { backoffMs } from "@switchyard/core/concurrency/retry"
import { isAppError } from "@switchyard/core/errors"
import type { WorktreeCommand } from "@switchyard/core/files/worktrees/command-schema"
import type { CommandOptions } from "@switchyard/core/files/worktrees/worktrees"
import type { Clock } from "@switchyard/core/time"
import {
  answerToFailed,
  answerToInterrupted,
  incomplete,
  isRefusal,
  type Outcome,
  succeeded,
} from "./command-answers.ts"
import type { CommandJournal } from "./command-journal.ts"

export interface AttemptDeps {
  clock: Clock
  journal: CommandJournal
  perform: (command: WorktreeCommand, options: CommandOptions) => Promise<object>
  /** Finds the result of a command that was interrupted. Returns undefined if the command had no effect. */
  recover: (command: WorktreeCommand, options: CommandOptions & { commandId: string }) => Promise<object | undefined>
  report: (error: unknown) => void
}

/**
 * A single attempt at a command. An attempt is never repeated: if it was interrupted, git and the journal show its
 * result.
 */
export interface CommandAttempt {
  /** Runs the command. Throws if it is refused. */
  run(options: { signal: AbortSignal }): Promise<CommandEnd>
  /** Finds the result of an attempt by a runner that was lost. */
  recover(options: { signal: AbortSignal }): Promise<CommandEnd>
}

/** Maximum number of attempts to find a failed command's result. Early attempts may fail for a temporary reason. */
const LOOK_ATTEMPTS = 5

export function createCommandAttempt(deps: AttemptDeps, commandId: string, command: WorktreeCommand): CommandAttempt {
  const { clock, journal, report } = deps
  /** The command's result, as soon as it is known. */
  let earned: CommandEnd | undefined

  async function earn(answer: object): Promise<CommandEnd> {
    earned = succeeded(answer)
    // The command has already been carried out, so ignore an error of this write: a failing disk must not make the
    // command fail.
    await journal.write(commandId, earned).catch(report)
    return earned
  }

  async function run({ signal }: { signal: AbortSignal }): Promise<CommandEnd> {
    const onMade = async (answer: object) => void (await earn(answer))
    try {
      return await earn(await deps.perform(command, { commandId, onMade, signal }))
    } catch (error) {
      throwIfOver(error, signal)
      if (!earned && isRefusal(error)) throw error
      report(error)
      return earned ? incomplete(earned, error) : answerToFailed(command, error, await findOutcome(signal))
    }
  }

  async function recover({ signal }: { signal: AbortSignal }): Promise<CommandEnd> {
    earned = await journal.read(commandId)
    return answerToInterrupted(await findOutcome(signal))
  }

  async function findOutcome(signal: AbortSignal): Promise<Outcome> {
    // The merge that was completed here may have been started by a different command.
    const onMade = async (answer: object, of?: string) => {
      if (of === commandId && !earned) await earn(answer)
    }
    let trouble: unknown
    for (let attempt = 0; attempt < LOOK_ATTEMPTS; attempt++) {
      try {
        const found = await deps.recover(command, { commandId, onMade, signal })
        return { end: earned ?? (found && (await earn(found))) }
      } catch (error) {
        throwIfOver(error, signal)
        report(error)
        trouble = error
        if (isRefusal(error)) break
        await clock.sleep(backoffMs(attempt, 50, 1000), { signal })
      }
    }
    return earned ? { end: earned } : { trouble }
  }

  return { run, recover }
}

/** Throws if this runner was stopped or replaced. The next runner then answers the command. */
export function throwIfOver(error: unknown, signal: AbortSignal): void {
  signal.throwIfAborted()
  if (isAppError(error, "run_superseded")) throw error
}
