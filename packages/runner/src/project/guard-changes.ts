import { rm } from "node:fs/promises"
import { forbidsChanges, isForbiddenChange, type PermissionPolicy } from "@switchyard/core/agents/permissions/decide"
import type { NewEvent } from "@switchyard/core/events"
import type { SessionState } from "@switchyard/core/state"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../files/atomic-json.ts"
import type { Git } from "../git/plumbing/git.ts"
import { asInput, inFolder, toText } from "../git/plumbing/git-path.ts"
import { snapshot } from "../git/plumbing/snapshot.ts"
import { type TreeChange, treeChanges } from "../git/plumbing/tree-changes.ts"
import type { ProjectDeps } from "./project-deps.ts"
import { locateWorktree } from "./worktree-location.ts"

/** Protects files that an agent may not change during a run. */
export interface ChangeGuard {
  /** Reverts forbidden changes, and returns an event that lists them. Returns no event if there are none. */
  putBack(): Promise<NewEvent[]>
}

interface Guarded {
  sid: string
  /** Absolute path of the worktree. */
  cwd: string
  runId: string
  state: SessionState
}

interface Decided {
  readonly policy: PermissionPolicy
}

const PUT_BACK_WITHIN_MS = 60_000
const MAX_FILES = 100

const Note = z.object({ run_id: z.string(), tree: z.string() })

/**
 * Records the worktree's state before a run whose agent may not change all files. This is necessary because a CLI can
 * change some files without asking, by itself or through an allowed command. Ignored files aren't covered. A change is
 * reverted if it is forbidden at the end of the run. Plan mode counts only if it was also set at the beginning of the
 * run.
 */
export async function guardChanges(
  deps: ProjectDeps,
  { sid, cwd, runId, state }: Guarded,
  decided: Decided,
  options: { signal: AbortSignal },
): Promise<ChangeGuard> {
  const { where, notes } = locateWorktree(deps, { sid, repository: state.session.repository, state })
  const { git } = where
  const file = `${notes}.guard.json`
  const wasPlanning = decided.policy.mode === "plan"
  // If this run had an earlier executor that was lost, that executor may have recorded the state at the beginning of
  // the run.
  const before = (await noted(file, runId)) ?? (forbidsChanges(decided.policy) ? await note() : undefined)

  async function note(): Promise<string> {
    const { tree } = await snapshot(git, cwd, options)
    await writeAtomically(file, { run_id: runId, tree })
    return tree
  }

  return {
    async putBack() {
      const { policy } = decided
      const final = policy.mode === "plan" && !wasPlanning ? { ...policy, mode: "ask" as const } : policy
      if (before === undefined || !forbidsChanges(final)) return []
      const signal = AbortSignal.timeout(PUT_BACK_WITHIN_MS)
      const after = await snapshot(git, cwd, { signal })
      const changes = await treeChanges(git, cwd, before, after.tree, { signal })
      const forbidden = changes.filter(({ path, from }) => {
        return isForbiddenChange(final, toText(path), { existed: from !== null })
      })
      await restore(git, cwd, before, forbidden, { signal })
      await rm(file, { force: true })
      return forbidden.length > 0 ? reverted(forbidden, final) : []
    },
  }
}

async function noted(file: string, runId: string): Promise<string | undefined> {
  const text = await readIfExists(file)
  const found = text === undefined ? undefined : Note.safeParse(JSON.parse(text)).data
  return found?.run_id === runId ? found.tree : undefined
}

async function restore(
  git: Git,
  cwd: string,
  tree: string,
  changes: TreeChange[],
  options: { signal: AbortSignal },
): Promise<void> {
  for (const { path } of changes.filter(({ from }) => from === null)) await git.files.remove(inFolder(cwd, path))
  const lost = changes.filter(({ from }) => from !== null).map(({ path }) => path)
  if (lost.length === 0) return
  const asked = ["restore", `--source=${tree}`, "--worktree", "--pathspec-from-file=-", "--pathspec-file-nul"]
  await git(asked, { cwd, input: asInput(lost), ...options })
}

function reverted(changes: TreeChange[], { mode }: PermissionPolicy): NewEvent[] {
  const files = changes.map(({ path }) => toText(path))
  const reason = mode === "plan" ? "the agent is in plan mode" : "a rule forbids changes to it"
  return [{ type: "agent_changes_reverted", files: files.slice(0, MAX_FILES), file_count: files.length, reason }]
}
