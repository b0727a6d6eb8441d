import { createHash } from "node:crypto"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../../files/atomic-json.ts"
import { readAbout, type Worktree } from "./worktree-record.ts"

const Claim = z.object({ notes: z.string() })

const fileOf = ({ repository }: Worktree, branch: string) =>
  join(repository.journals, "taken-over", createHash("sha256").update(branch).digest("hex").slice(0, 24))

/**
 * Records that a session is working on a user's branch. Only one session at a time may work on a branch. The caller
 * must hold the repository lock.
 */
export async function claimBranch(worktree: Worktree, branch: string): Promise<void> {
  const file = fileOf(worktree, branch)
  const text = await readIfExists(file)
  const holder = text === undefined ? undefined : Claim.parse(JSON.parse(text))
  // Ignore the claim of a deleted session.
  const held = holder && (await readAbout(holder))?.taken_over?.branch === branch
  if (held && holder.notes !== worktree.notes) {
    throw new AppError("worktree_busy", "Another session is working on this branch.", { branch })
  }
  await mkdir(join(repositoryFolder(worktree), "taken-over"), { recursive: true, mode: 0o700 })
  await writeAtomically(file, { notes: worktree.notes })
}

export async function releaseBranch(worktree: Worktree): Promise<void> {
  await rm(fileOf(worktree, worktree.branch), { force: true })
}

const repositoryFolder = ({ repository }: Worktree) => repository.journals
