import type { CommandEnd } from "@switchyard/core/agents/runner/worktree-command-rules"
import { isAppError } from "@switchyard/core/errors"
import type { WorktreeCommand } from "@switchyard/core/files/worktrees/command-schema"
import type { CommandOptions } from "@switchyard/core/files/worktrees/worktrees"
import { backoffMs } from "@switchyard/core/retry"
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
  /** Finds out what became of a command that was started and stopped halfway: undefined if it wasn't carried out. */
  recover: (command: WorktreeCommand, options: CommandOptions & { commandId: string }) => Promise<object | undefined>
  report: (error: unknown) => void
}

/** One attempt at a command. It is never repeated: where it stopped halfway, git and the journal show what became of it. */
export interface CommandAttempt {
  /** Carries the command out. Throws if it was refused. */
  run(options: { signal: AbortSignal }): Promise<CommandEnd>
  /** Finds out what became of the attempt of a runner that is gone. */
  recover(options: { signal: AbortSignal }): Promise<CommandEnd>
}

/** Attempts at a look after a command that failed: the reason may pass. */
const LOOK_ATTEMPTS = 5

export function createCommandAttempt(deps: AttemptDeps, commandId: string, command: WorktreeCommand): CommandAttempt {
  const { clock, journal, report } = deps
  /** The answer as soon as it is earned. */
  let earned: CommandEnd | undefined

  async function earn(answer: object): Promise<CommandEnd> {
    earned = succeeded(answer)
    // The command is done, whether or not that can be written: a failing disk must not undo it.
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
    // A half-made merge that is finished now may be another command's.
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

/** Leaves the answer to the next runner if this one is stopped, or was replaced. */
export function throwIfOver(error: unknown, signal: AbortSignal): void {
  signal.throwIfAborted()
  if (isAppError(error, "run_superseded")) throw error
}
