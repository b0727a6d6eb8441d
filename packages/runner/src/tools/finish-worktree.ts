import { type Caller, inAgentTurn } from "@switchyard/core/agents/conversations/caller"
import type { People } from "@switchyard/core/agents/conversations/people"
import { findAgent } from "@switchyard/core/agents/conversations/rules"
import { decidePermission, type PermissionPolicy, ruleFor } from "@switchyard/core/agents/permissions/decide"
import { requestCommand } from "@switchyard/core/agents/runner/worktree-command-rules"
import { AppError } from "@switchyard/core/errors"
import type { EventOf } from "@switchyard/core/events"
import type { ConflictFile } from "@switchyard/core/files/worktrees/conflict-schema"
import { MergeResult } from "@switchyard/core/files/worktrees/merge-schema"
import { BranchName } from "@switchyard/core/files/worktrees/names-schema"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { Log } from "@switchyard/core/log/log"
import { readField } from "@switchyard/core/log/payload"
import type { Blobs } from "@switchyard/core/storage/blobs"
import * as z from "zod"
import { WAIT_MS } from "./limits.ts"
import { type AgentTool, agentTool } from "./tool.ts"

export interface FinishDeps {
  log: Log
  blobs: Blobs
  newId: (prefix: "cmd") => string
  session: SessionLog
  caller: Caller
  people: People
  /** Returns the agent's current mode and rules. */
  policy: () => PermissionPolicy
  timeout: (ms: number) => AbortSignal
}

type Finished = EventOf<"worktree_command_finished">

/** Creates the tool for merging the agent's own worktree into a branch, if merging is permitted. */
export function finishTools(deps: FinishDeps): Record<string, AgentTool> {
  return {
    finish_worktree: agentTool({
      title: "Merge your worktree",
      description:
        "Merges all work in your own worktree, including uncommitted changes, into a branch of the repository, as one commit. If there are " +
        "conflicts, it returns them and merges nothing. You continue in the same worktree.",
      readOnly: false,
      input: z.object({
        target: BranchName.optional().describe("Target branch. Default: the branch that you started from"),
      }),
      call: ({ target }, { signal }) => finish(deps, target, { signal, enough: deps.timeout(WAIT_MS) }),
    }),
  }
}

interface Waiting {
  signal: AbortSignal
  enough: AbortSignal
}

async function finish(deps: FinishDeps, target: string | undefined, waiting: Waiting): Promise<object | string> {
  await requirePermission(deps, target, waiting)
  const merge = { command: "merge", strategy: "squash", delete_worktree: false } as const
  const result = await run(deps, { ...merge, ...(target !== undefined && { target_branch: target }) }, waiting)
  if (result === undefined)
    return "The merge isn't finished yet. Look at the branch later. Calling this again doesn't merge anything twice."
  if (result.status !== "conflicts") {
    const { status, message, target_branch, commit } = result
    return { status, message, target_branch, commit }
  }
  // Abort the merge, because a merge that waits for people would block the agent's next attempt.
  await run(deps, { command: "abort" }, { ...waiting, enough: waiting.signal })
  return [
    `Nothing was merged: ${result.message} Merge ${result.target_branch ?? "the branch"} into your branch with git, resolve these, and call this again.`,
    ...(result.conflicts ?? []).map(describeConflict),
  ].join("\n\n")
}

/**
 * Asks a person for permission if the agent's mode and rules don't decide. Throws `forbidden` if permission is denied.
 */
async function requirePermission(
  { people, policy }: FinishDeps,
  target: string | undefined,
  waiting: Waiting,
): Promise<void> {
  const into = target === undefined ? "the branch that it started from" : `the branch ${target}`
  const request = { tool: "mcp" as const, name: "finish_worktree", args: `Merges the agent's worktree into ${into}.` }
  const decided = decidePermission(policy(), request)
  if (decided.effect === "deny") throw new AppError("forbidden", decided.reason)
  if (decided.effect === "allow") return
  const answer = await people.permit({ kind: "permission", ...request, rule: ruleFor(request) }, waiting)
  if (answer && answer.choice !== "deny") return
  const instead = answer?.text?.trim()
  const why = answer
    ? instead
      ? `A person refused. They asked for this instead: ${instead}`
      : "A person refused."
    : "No person has allowed it yet."
  throw new AppError("forbidden", `${why} Nothing was merged.`)
}

type Command = Parameters<typeof requestCommand>[1]

/** Runs a command on the caller's own worktree. Returns undefined if the command takes too long. */
async function run(deps: FinishDeps, command: Command, { signal, enough }: Waiting): Promise<MergeResult | undefined> {
  const { session, caller, blobs } = deps
  const commandId = deps.newId("cmd")
  await session.catchUp({ signal })
  const { worktree } = findAgent(session.state, caller.agentId)
  const asked = inAgentTurn(caller, (_, state) => requestCommand(commandId, command, worktree, caller)(state))
  const [requested] = await session.decide(asked, { signal })
  const end = await endOf(deps, { commandId, since: requested?.seq ?? 0 }, AbortSignal.any([signal, enough]))
  signal.throwIfAborted()
  if (!end) return undefined
  if (end.answer === null) throw new AppError("worktree_conflict", end.error?.message ?? "The merge failed.")
  const answer = await readField(blobs, end.answer, z.record(z.string(), z.json()), { signal })
  return MergeResult.parse(answer)
}

async function endOf(
  { log, session }: FinishDeps,
  { commandId, since }: { commandId: string; since: number },
  signal: AbortSignal,
): Promise<Finished | undefined> {
  for await (const event of log.tail(logName(session.sid), since, { signal })) {
    if (event.type === "worktree_command_finished" && event.command_id === commandId) return event
  }
  return undefined
}

function describeConflict({ file_path }: ConflictFile): string {
  return `- ${file_path}`
}
