import { type CommandDeps, commandWorktree } from "../../agents/runner/worktree-commands.ts"
import { AppError } from "../../errors.ts"
import { readWorktree } from "../../files/worktrees/latest.ts"
import { PushResult } from "../../files/worktrees/merge-schema.ts"
import type { PullRequest, PullRequestRequest } from "../../files/worktrees/pull-request-schema.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog } from "../../kernel/session-log.ts"
import type { HostPolicy } from "../../network/host-policy.ts"
import type { GitHosts } from "../../people/git-hosts/git-hosts.ts"
import { openFor } from "../git-host-grants.ts"
import { readEvidence } from "./evidence.ts"
import type { Forge, FoundPullRequest, NewPullRequest } from "./forge.ts"
import { openForge } from "./open-forge.ts"
import { describeEvidence, describeWork, type Evidence, replaceDescription, titleFor } from "./pull-request-text.ts"

export interface PullRequestDeps extends CommandDeps {
  gitHosts: Pick<GitHosts, "open">
  hosts: HostPolicy
}

interface Asked {
  owner: string
  session: SessionHandle
  worktree: string
  request: PullRequestRequest
}

/**
 * Pushes a worktree's branch, and opens or updates its pull request. Builds on what earlier attempts achieved, so the
 * request can be retried after any failure.
 */
export async function openPullRequest(
  deps: PullRequestDeps,
  { owner, session, worktree, request }: Asked,
  { signal, enough }: { signal: AbortSignal; enough: AbortSignal },
): Promise<PullRequest> {
  const forge = await forgeOf(deps, owner, session, { signal })
  const report = await readWorktree(deps, session, { worktree, signal })
  const head = report?.status.branch
  if (!head) throw new AppError("worktree_not_found", "There is no branch to open a pull request for.", { worktree })
  const commit = await push(deps, session, { worktree, branch: head }, { signal, enough })
  const evidence = await readEvidence(deps, session, { worktree, commit }, { signal })
  const { title = titleFor(evidence.task), draft } = request
  const base = request.base ?? report.status.target_branch ?? (await forge.defaultBranch())
  const { found, created } = await openOnce(forge, { head, base, title, draft, body: describeWork(evidence) })
  const { body: _, ...shown } = found
  const opened = { ...shown, head, commit, created, status: null }
  const status = await setStatus(forge, evidence).catch(async (error: unknown) => {
    // Record the pull request even if the token isn't allowed to set statuses, because it is already open.
    await appendOpened(deps, session, { worktree, opened }, { signal })
    throw error
  })
  const finished = { ...opened, status }
  await appendOpened(deps, session, { worktree, opened: finished }, { signal })
  return finished
}

async function forgeOf(
  { gitHosts, hosts }: PullRequestDeps,
  owner: string,
  { state }: SessionHandle,
  { signal }: { signal: AbortSignal },
): Promise<Forge> {
  const url = state.session.repository
  const host = url ? await openFor(gitHosts, owner, url, { signal }) : undefined
  if (url && host) return openForge(host, { url, hosts, signal })
  const message = url
    ? "You have no token for this repository's host. Add one in Settings, Git hosts, or with `switchyard git-hosts`."
    : "Only a session in a repository on a git host can open a pull request."
  throw new AppError("repository_error", message)
}

/** Pushes the branch, and returns the commit that the host now has. */
async function push(
  deps: PullRequestDeps,
  session: SessionHandle,
  { worktree, branch }: { worktree: string; branch: string },
  options: { signal: AbortSignal; enough: AbortSignal },
): Promise<string> {
  const command = { command: "push" as const, branch, remote: "origin" }
  const { answer } = await commandWorktree(deps, session, { commandId: deps.newId("cmd"), command, worktree }, options)
  if (answer) return PushResult.parse(answer).commit
  throw new AppError("worktree_busy", "The branch is still being pushed. Try again in a moment.")
}

/**
 * Looks for a pull request before creating one, and again if the host reports that one exists. Concurrent requests
 * therefore create only one pull request.
 */
async function openOnce(forge: Forge, request: NewPullRequest): Promise<{ found: FoundPullRequest; created: boolean }> {
  const known = await forge.find(request.head)
  const made = known ? undefined : await forge.create(request)
  if (made) return { found: made, created: true }
  const found = known ?? (await forge.find(request.head))
  if (!found) {
    throw new AppError(
      "repository_error",
      "The host didn't open a pull request. The branch may have no commits of its own.",
    )
  }
  const body = replaceDescription(found.body, request.body)
  if (body !== found.body) await forge.update(found.number, body)
  return { found, created: false }
}

async function setStatus(forge: Forge, evidence: Evidence): Promise<PullRequest["status"]> {
  const { commit, verdict } = evidence
  if (verdict.status === "not_run") return null
  const state = verdict.status === "passed" ? "success" : "failure"
  await forge.setStatus({ commit, state, description: describeEvidence(evidence) })
  return state
}

async function appendOpened(
  deps: PullRequestDeps,
  { sid }: SessionHandle,
  { worktree, opened }: { worktree: string; opened: PullRequest },
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const log = await openSessionLog(deps, sid, { signal })
  const event = { type: "pull_request_opened" as const, worktree, pull_request: opened }
  await log.decide(
    inLiveSession(() => [event]),
    { signal },
  )
}
