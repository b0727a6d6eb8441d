import { isAppError } from "@switchyard/core/errors"
import { listGitlinks } from "./add-files.ts"
import type { Git, GitCall } from "./git.ts"
import { fieldsOf, type GitPath, toText } from "./git-path.ts"

/**
 * Returns the fields printed by `git status`, including changes inside submodules. Omits submodules whose git folder is
 * damaged or missing, because git would fail for the whole checkout.
 */
export async function readStatus(git: Git, flags: string[], call: GitCall): Promise<GitPath[]> {
  const status = ["status", "-z", "--ignore-submodules=none", ...flags]
  try {
    return fieldsOf((await git(status, call)).stdout)
  } catch (error) {
    if (!isAppError(error, "git_error") && !isAppError(error, "repository_error")) throw error
    const damaged: string[] = []
    for (const path of (await listGitlinks(git, call)).map(toText)) {
      if ((await git([...status, "--", path], { ...call, accept: [128] })).code !== 0) damaged.push(path)
    }
    if (damaged.length === 0) throw error
    const pathspecs = [":/", ...damaged.map((path) => `:(top,exclude,literal)${path}`)]
    const env = { ...call.env, GIT_LITERAL_PATHSPECS: "0" }
    return fieldsOf((await git([...status, "--", ...pathspecs], { ...call, env })).stdout)
  }
}
