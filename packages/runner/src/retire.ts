import { join, resolve } from "node:path"
import { AppError } from "@switchyard/core/errors"
import { systemClock as clock } from "@switchyard/core/time"
import { openProcesses } from "./compose/processes.ts"
import { createWorktrees } from "./git/git-worktrees.ts"
import { NEVER } from "./git/plumbing/git.ts"
import { openWorktree } from "./git/worktrees/open-worktree.ts"
import { readAbout, recordsIn } from "./git/worktrees/worktree-record.ts"

interface DeletedSession {
  dataFolder: string
  sid: string
  /** Retention of kept work in milliseconds. */
  keptForMs: number
}

/**
 * Removes a deleted session's worktrees from repositories on this machine, after storing work that exists nowhere else.
 * Throws if some work can't be stored, because the session's files must then be kept.
 */
export async function retireSession(
  env: NodeJS.ProcessEnv,
  { sid, keptForMs, ...about }: DeletedSession,
): Promise<void> {
  const signal = NEVER
  const dataFolder = resolve(about.dataFolder)
  const folder = join(dataFolder, "runner", sid)
  const host = { sid, dataFolder, local: true, isContainer: false }
  const { gitOf, confineGit, cleanUp } = await openProcesses(host, env, console.error)
  // Programs of a dead runner may still be writing to the worktrees.
  await cleanUp()
  const failures: string[] = []
  for (const record of await recordsIn(folder)) {
    const notes = join(folder, record)
    const origin = (await readAbout({ notes }))?.origin
    const [, incarnation, name] = /^(\d+)-(.+)$/.exec(record) ?? []
    if (!origin || incarnation === undefined || name === undefined) continue
    const { repository, branch, worktree } = origin
    const machineGit = gitOf(worktree, "machine")
    // If the repository no longer exists, there is nowhere to store the work.
    if (!(await machineGit.files.exists(repository))) continue
    const plain = {
      ...{ clock, repository, branch, notes, session: sid, name: worktree, keptForMs, git: machineGit },
      folder: join(dataFolder, "projects", sid, incarnation, "work", name),
      journals: join(dataFolder, "repositories"),
    }
    const locate = (options: { signal: AbortSignal }) => openWorktree(plain, options)
    const git = confineGit?.(machineGit, locate, { worktree, repository: "machine" }) ?? machineGit
    try {
      await (await createWorktrees({ ...plain, git }, { signal })).remove({}, { signal })
    } catch (error) {
      failures.push(`${plain.folder}: ${error instanceof Error ? error.message : error}`)
    }
  }
  if (failures.length > 0) {
    throw new AppError("repository_error", `A deleted session's work couldn't be stored. ${failures.join("\n")}`)
  }
}
