import { createHash } from "node:crypto"
import * as z from "zod"
import { NewRunRequest } from "../../agents/tasks/request.ts"
import { AppError } from "../../errors.ts"
import { isTaskBranch } from "../../files/worktrees/names.ts"
import { folderOf } from "../../files/worktrees/remote.ts"
import type { GitHooks, OpenedGitHook } from "../../people/git-hooks/git-hooks.ts"
import type { GitHookAnswer } from "../../people/git-hooks/schema.ts"
import { parseJson } from "../../text/parse-json.ts"
import { isReserved } from "../../work/runs/idempotency.ts"
import type { RunRequestDeps } from "../requests/run-request.ts"
import { requestRun, type StartOnceDeps } from "../requests/start-run.ts"
import { githubTrigger } from "./github-trigger.ts"
import { gitlabTriggers } from "./gitlab-trigger.ts"
import type { Trigger } from "./trigger.ts"
import { type GitDelivery, isGenuine } from "./verify.ts"

export interface ReceiveDeps extends RunRequestDeps, StartOnceDeps {
  gitHooks: Pick<GitHooks, "open">
  /** Throws `rate_limited` if the owner has already started the maximum number of runs this minute. */
  requireRate: (owner: string) => Promise<void>
}

/**
 * Maximum age of an event. Deliveries are only remembered for a day, so a replay of an older delivery could start its
 * run again.
 */
const MAX_AGE_MS = 3_600_000
const MAX_AHEAD_MS = 300_000

const NOTHING: GitHookAnswer = { run_id: null, session_id: null }

/**
 * Accepts a delivery from a repository's host. Starts the run for the hook's matching rule, once per delivery. Throws
 * `unauthorized`, before writing anything, if the delivery isn't from the host.
 */
export async function receiveDelivery(
  deps: ReceiveDeps,
  id: string,
  delivery: GitDelivery,
  options: { signal: AbortSignal },
): Promise<GitHookAnswer> {
  const hook = await deps.gitHooks.open(id, options)
  if (!hook || !isGenuine(hook.kind, hook.secret, delivery)) {
    throw new AppError("unauthorized", "The signature of this delivery is not valid.")
  }
  const trigger = triggersIn(hook, delivery).find((one) => isWanted(hook, one))
  if (!trigger) return NOTHING
  requireRecent(trigger, deps.clock.now())
  const key = keyOf(hook, delivery)
  // A repeated delivery doesn't start a run, so it doesn't count towards the owner's rate.
  if (!(await isReserved(deps, { owner: hook.owner, key }, options))) await deps.requireRate(hook.owner)
  const request = requestFor(hook, trigger)
  const caller = { owner: hook.owner, apiKey: undefined, keysOnly: true, workspace: () => undefined }
  const found = await requestRun(deps, caller, request, { key, ...options })
  return { run_id: found.ref.run_id, session_id: found.ref.session_id }
}

function requestFor({ coding_agent, repository }: OpenedGitHook, { task, branch }: Trigger): NewRunRequest {
  const about = { kind: "agent", user_prompt: task, coding_agent, repository }
  const parsed = NewRunRequest.safeParse({ ...about, ...(branch !== undefined && { base_branch: branch }) })
  if (parsed.success) return parsed.data
  throw new AppError("validation_error", "Can't start a run: the branch or text in this delivery is invalid.")
}

function triggersIn(hook: OpenedGitHook, { headers, body }: GitDelivery): Trigger[] {
  const parsed = parseJson(body)
  if (parsed === undefined) {
    const message = "This delivery is not JSON. Choose application/json as the content type in the webhook's settings."
    throw new AppError("validation_error", message)
  }
  if (!isOfRepository(hook, parsed)) return []
  if (hook.kind === "gitlab") return gitlabTriggers(parsed)
  const found = githubTrigger(headers["x-github-event"], parsed)
  return found ? [found] : []
}

const Named = z.object({
  repository: z.object({ full_name: z.string() }).optional(),
  project: z.object({ path_with_namespace: z.string() }).optional(),
})

/**
 * True if a delivery is about the hook's own repository. An organisation's webhook also sends deliveries about its
 * other repositories.
 */
function isOfRepository({ kind, repository }: OpenedGitHook, body: unknown): boolean {
  // For a folder on this machine, accept all deliveries, because hosts don't send its path.
  if (folderOf({ url: repository }) !== undefined) return true
  const found = Named.safeParse(body).data
  const name = kind === "gitlab" ? found?.project?.path_with_namespace : found?.repository?.full_name
  const path = repository.replace(/(\.git)?\/?$/, "").toLowerCase()
  return name !== undefined && (path.endsWith(`/${name.toLowerCase()}`) || path.endsWith(`:${name.toLowerCase()}`))
}

/**
 * True if a rule matches the trigger. Branches that agents created never match, because their failures could start runs
 * forever.
 */
function isWanted({ rules, users }: OpenedGitHook, { on, label, author, branch }: Trigger): boolean {
  if (branch && isTaskBranch(branch)) return false
  if (author && !(users.length > 0 ? users.includes(author.login) : author.isMember)) return false
  return rules.some((rule) => rule.on === on && (rule.on !== "issue_labelled" || rule.label === label))
}

function requireRecent({ at }: Trigger, now: number): void {
  if (at >= now - MAX_AGE_MS && at <= now + MAX_AHEAD_MS) return
  throw new AppError("validation_error", "This delivery's event is too old, or its time is invalid.")
}

/**
 * Returns a delivery's idempotency key. The key is based on the body, which is signed and contains the event's time.
 * The host's delivery ID isn't signed, so a replay could use a different ID.
 */
function keyOf({ id }: OpenedGitHook, { body }: GitDelivery): string {
  return `git-hook/${id}/${createHash("sha256").update(body).digest("hex")}`
}
