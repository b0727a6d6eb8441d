import { AppError } from "@switchyard/core/errors"
import type { PushResult } from "@switchyard/core/files/worktrees/merge-schema"
import type { Git } from "../plumbing/git.ts"
import { headOf, type Repository } from "../plumbing/repository.ts"
import type { Reach } from "./remotes.ts"

/** A branch to push, and its remote. The branch has the same name on the remote. */
export interface Push {
  branch: string
  remote: string
  reach: Reach
}

/**
 * Pushes a branch. Throws `push_rejected` with the server's explanation if the remote rejects the push, for example
 * because the remote branch contains commits that the local branch lacks.
 */
export async function push(
  git: Git,
  repository: Repository,
  { branch, remote, reach }: Push,
  { signal }: { signal: AbortSignal },
): Promise<PushResult> {
  const cwd = repository.folder
  const remotes = (await git(["remote"], { cwd, signal })).stdout.toString().split("\n")
  if (remote === "" || !remotes.includes(remote)) {
    throw new AppError("repository_error", "The repository doesn't have this remote.", { remote })
  }
  const commit = await headOf(git, repository, branch, { signal })
  const ref = `refs/heads/${branch}`
  const asked = ["push", "--porcelain", "--no-progress", "--no-follow-tags", "--", remote, `${ref}:${ref}`]
  const { code, stdout, stderr } = await reach((env) => git(asked, { cwd, env, signal, accept: [1] }), { signal })
  if (code === 0) return { remote, branch, commit }
  const status = stdout
    .toString()
    .split("\n")
    .find((line) => line.startsWith("!"))
  // The server's own lines explain the rejection, which may come from a hook or a protected branch, for example.
  const explained = stderr.split("\n").flatMap((line) => /^remote: ?(.*)$/.exec(line.trimEnd())?.[1] ?? [])
  const said = [...explained, status?.split("\t").slice(2).join(" ")].filter(Boolean).join("\n")
  throw new AppError("push_rejected", "The remote rejected the branch.", { remote, branch, said })
}

/** Returns the result of an earlier push if the remote branch is already at the local branch's commit. */
export async function pushed(
  git: Git,
  repository: Repository,
  { branch, remote, reach }: Push,
  { signal }: { signal: AbortSignal },
): Promise<PushResult | undefined> {
  const commit = await headOf(git, repository, branch, { signal })
  const cwd = repository.folder
  const asked = ["ls-remote", "--", remote, `refs/heads/${branch}`]
  const { stdout } = await reach((env) => git(asked, { cwd, env, signal }), { signal })
  return stdout.toString().startsWith(`${commit}\t`) ? { remote, branch, commit } : undefined
}
