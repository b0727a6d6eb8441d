import type { WorktreeLook } from "@switchyard/core/files/worktrees/worktrees"
import { readStatus } from "../plumbing/read-status.ts"
import { readableNow } from "./readable.ts"
import type { Worktree } from "./worktree-record.ts"

/** Looks at a worktree before a commit. */
export async function lookAt(worktree: Worktree, { signal }: { signal: AbortSignal }): Promise<WorktreeLook> {
  const readable = await readableNow(worktree)
  const flags = ["--porcelain=v2", "--branch", "--no-ahead-behind", "--untracked-files=all", "--ignored=matching"]
  const fields = await readStatus(worktree.git, [...flags, "--no-renames"], { cwd: worktree.tree, signal })
  const [, head = null] = /^# branch\.oid ([0-9a-f]+)$/.exec(fields[0] ?? "") ?? []
  const [, branch = "(detached)"] = /^# branch\.head (.*)$/s.exec(fields[1] ?? "") ?? []
  return {
    isMerged: !fields.some((line) => line.startsWith("u ")),
    isStaged: fields.some((line) => /^1 [AMT][MTD] N/.test(line)),
    ...{ head, ref: branch === "(detached)" ? "HEAD" : `refs/heads/${branch}` },
    ignored: fields.flatMap((line) => (line.startsWith("! ") ? [line.slice(2)] : [])),
    isCurrent: readable.isCurrent,
  }
}
