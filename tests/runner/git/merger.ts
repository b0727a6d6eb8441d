import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { taskBranch } from "@switchyard/core/files/worktrees/names"
import { systemClock } from "@switchyard/core/time"
import { createWorktrees } from "@switchyard/runner/git/git-worktrees"
import { asGit, ourGit, placed, signal } from "./repositories.ts"

// Merges a session's work or undoes its merge, and kills its own process before step `dieAt`. Each change of a file is
// a step, and each call of git is two: one before the call and one after it. A process that survives prints its number
// of steps.
const [repository = "", folder = "", sessionId = "", dieAt = "0", task = "merge"] = process.argv.slice(2)

let steps = 0
function step(): void {
  if (++steps === Number(dieAt)) process.kill(process.pid, "SIGKILL")
}

for (const name of ["rename", "link", "unlink", "writeFile", "rmdir", "rm", "mkdir"] as const) {
  const real = fs[name] as (...args: unknown[]) => Promise<unknown>
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      step()
      return real(...args)
    },
  })
}
syncBuiltinESMExports()

const plain = ourGit()
const git = asGit(async (args, call) => {
  step()
  const answer = await plain(args, call)
  step()
  return answer
})

const worktrees = await createWorktrees(
  { ...placed(folder), git, clock: systemClock, repository, branch: taskBranch(sessionId) },
  { signal },
)
if (task === "undo") {
  await worktrees.undo({}, { signal })
} else {
  const begun = await worktrees.merge(
    { strategy: "squash", delete_worktree: true, commit_message: "Merged" },
    { signal },
  )
  if (begun.status === "conflicts") {
    for (const { file_path } of begun.conflicts ?? []) {
      await worktrees.resolve({ file_path, use: "theirs", complete: false }, { signal })
    }
    await worktrees.complete({}, { signal })
  }
}
process.stdout.write(`${steps}`)
