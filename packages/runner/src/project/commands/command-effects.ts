import type { WorktreeRequest } from "@switchyard/core/agents/runner/worktree-command-rules"
import { AppError } from "@switchyard/core/errors"
import { CommittedChange } from "@switchyard/core/files/workspaces/schema"
import type { WorktreeCommand } from "@switchyard/core/files/worktrees/command-schema"
import type { ConfirmedDeletions } from "@switchyard/core/files/worktrees/schema"
import type { WriteFiles } from "@switchyard/core/files/worktrees/snapshot-schema"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import { type CommandOptions, runCommand, type Worktrees } from "@switchyard/core/files/worktrees/worktrees"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { Log } from "@switchyard/core/log/log"
import { readField } from "@switchyard/core/log/payload"
import * as z from "zod"
import type { ProjectDeps } from "../project-deps.ts"
import type { WorkspaceSaver } from "../workspace-saver.ts"
import { writeFiles } from "../write-files.ts"

export interface CommandEffectsDeps {
  log: Log
  project: ProjectDeps
  saver: WorkspaceSaver
  open: (request: WorktreeRequest, signal: AbortSignal) => Promise<Worktrees>
}

/** Carries out commands. All commands except one change the worktree; the exception changes the session's files. */
export interface CommandEffects {
  perform(command: WorktreeCommand, options: CommandOptions): Promise<object>
  /** Finds the result of a command that was interrupted. Returns undefined if the command had no effect. */
  recover(command: WorktreeCommand, options: CommandOptions & { commandId: string }): Promise<object | undefined>
  /**
   * Also applies a command's changes to the session's files. Deletes files there only if `isConfirmed` is true or few
   * files are deleted.
   */
  saveFiles(isConfirmed: boolean, signal: AbortSignal): Promise<void>
}

export function createCommandEffects(
  { log, project, saver, open }: CommandEffectsDeps,
  session: SessionLog,
): CommandEffects {
  async function saveFiles(isConfirmed: boolean, signal: AbortSignal): Promise<void> {
    await project.background.stop()
    await saver.bring(isConfirmed, { signal })
  }

  async function confirmDeletions(signal: AbortSignal): Promise<ConfirmedDeletions> {
    const { heldDeletions } = worktreeOf(session.state, project.worktree)
    if (!heldDeletions) throw new AppError("worktree_conflict", "No deletions are waiting for confirmation.")
    await saveFiles(true, signal)
    return confirmed(heldDeletions.count)
  }

  /**
   * Finds the result of an interrupted confirmation. The log contains the confirmation in the same batch as the
   * deletions.
   */
  async function findConfirmed({ commandId, signal }: { commandId: string; signal: AbortSignal }) {
    const since = worktreeOf(session.state, project.worktree).pending[commandId]?.seq ?? session.state.head
    let deleted = 0
    for await (const event of log.read(logName(session.sid), since, { signal })) {
      if (event.type === "deletions_settled" && event.confirmed) return confirmed(deleted)
      if (event.type !== "workspace_committed") continue
      const changes = await readField(project.blobs, event.changes, z.array(CommittedChange), { signal })
      deleted = changes.filter(({ op }) => op === "delete").length
    }
    return undefined
  }

  async function write(command: WriteFiles & { command: "write" }, isBegun: boolean, { signal }: CommandOptions) {
    const { sid, state } = session
    const about = { sid, repository: state.session.repository, state }
    return writeFiles(project, about, await open(command, signal), { ...command, isBegun }, { signal })
  }

  return {
    async perform(command, options) {
      if (command.command === "confirm_deletions") return confirmDeletions(options.signal)
      await project.background.stop()
      if (command.command !== "delete" && command.command !== "create") await saver.takeIn(options)
      if (command.command === "write") return write(command, false, options)
      return runCommand(await open(command, options.signal), command, options)
    },
    async recover(command, options) {
      if (command.command === "confirm_deletions") return findConfirmed(options)
      // Files that were already written don't conflict, so the remaining files can still be written.
      if (command.command === "write") return write(command, true, options)
      return (await open(command, options.signal)).recover(command, options)
    },
    saveFiles,
  }
}

function confirmed(count: number): ConfirmedDeletions {
  return { deleted_files: count, message: "The files have now been deleted from the session too." }
}
