import type * as z from "zod"
import type { CliId } from "../../agents/clis/clis.ts"
import { AgentInput } from "../../agents/conversations/schema.ts"
import { LoginInput } from "../../agents/runner/login-schema.ts"
import type { ToRunner } from "../../agents/runner/messages.ts"
import { logName } from "../../kernel/keys.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { readField } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { isTask } from "../../work/runs/kinds.ts"
import type { Launch } from "../../work/runs/launcher.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import { isEnded, type RunState, runOf } from "../../work/runs/state.ts"
import type { AgentAccounts, AgentCredentials } from "./agents.ts"
import { reviewerAccount } from "./reviewer-account.ts"

/** A run's accounts, as its runner receives them. */
export type RunAccounts = Pick<Extract<ToRunner, { type: "run" }>, "account" | "fallbacks">

const NO_CREDENTIALS: AgentCredentials = { apiKey: null, baseUrl: null, login: null, home: "none" }

/**
 * Returns the credentials that a runner needs for a run, including those of the accounts that may take over. Undefined
 * if the run no longer exists. Empty for runs without agents.
 */
export async function accountsOfRun(
  deps: SessionLogDeps & { blobs: Blobs; index: RunIndex; agentAccounts: AgentAccounts },
  { sid, runId }: Pick<Launch, "sid" | "runId">,
  options: { signal: AbortSignal },
): Promise<RunAccounts | undefined> {
  const [ref, { state }] = await Promise.all([deps.index.get(runId, options), openSessionLog(deps, sid, options)])
  const run = runOf(state, runId)
  if (!ref || !run) return undefined
  if (!isTask(run)) return { account: forRunner(NO_CREDENTIALS) }
  const input = await readInput(deps, sid, run, AgentInput, options)
  if (!input) return undefined
  const account = await deps.agentAccounts.open(ref.owner, input, options)
  const fallbacks = await fallbacksOf(deps, ref.owner, input, options)
  const others = [...fallbacks, ...(await reviewersOf(deps, ref.owner, input, options))]
  return { account: forRunner(account), ...(others.length > 0 && { fallbacks: Object.fromEntries(others) }) }
}

/** Returns the task's owner. Undefined if none of the task's programs may use this account's login. */
export async function ownerWithLogin(
  deps: SessionLogDeps & { blobs: Blobs; index: RunIndex },
  { sid, runId, account }: { sid: string; runId: string; account: string },
  options: { signal: AbortSignal },
): Promise<{ owner: string; isOver: boolean } | undefined> {
  const [ref, { state }] = await Promise.all([deps.index.get(runId, options), openSessionLog(deps, sid, options)])
  const run = runOf(state, runId)
  if (ref?.sid !== sid || !run || !isTask(run)) return undefined
  const input = await readInput(deps, sid, run, AgentInput, options)
  if (input?.keys_only) return undefined
  return programsOf(input).some((program) => program.account === account)
    ? { owner: ref.owner, isOver: isEnded(run) }
    : undefined
}

/** Returns the owner and agent of an active login run for this account. Undefined if there is none. */
export async function ownerLoggingIn(
  deps: SessionLogDeps & { blobs: Blobs; index: RunIndex },
  { sid, runId, account }: { sid: string; runId: string; account: string },
  options: { signal: AbortSignal },
): Promise<{ owner: string; cli: CliId } | undefined> {
  const [ref, { state }] = await Promise.all([deps.index.get(runId, options), openSessionLog(deps, sid, options)])
  const run = runOf(state, runId)
  if (ref?.sid !== sid || run?.kind !== "login" || isEnded(run) || run.cancelReason !== null) return undefined
  const input = await readInput(deps, sid, run, LoginInput, options)
  return input?.account === account ? { owner: ref.owner, cli: input.agent } : undefined
}

/**
 * Returns the agent that a session's runner must have installed for its open tasks and logins. "plain" if no agent is
 * needed. Undefined if several agents are needed.
 */
export async function agentsWanted(
  deps: SessionLogDeps & { blobs: Blobs },
  sid: string,
  options: { signal: AbortSignal },
): Promise<CliId | "plain" | undefined> {
  const { state } = await openSessionLog(deps, sid, options)
  const open = Object.values(state.runs.byId).filter((run) => (isTask(run) || run.kind === "login") && !isEnded(run))
  const [run, another] = open
  if (!run) return "plain"
  if (another) return undefined
  if (run.kind === "login") return (await readInput(deps, sid, run, LoginInput, options))?.agent
  const agents = new Set(programsOf(await readInput(deps, sid, run, AgentInput, options)).map(({ cli }) => cli))
  return agents.size === 1 ? [...agents][0] : undefined
}

/** Returns the programs that may work on a task, including its reviewers. */
function programsOf(input: AgentInput | undefined) {
  const { reviewer, reviewer_hand_off } = input?.verification ?? {}
  const programs = [input, reviewer, ...(input?.hand_off?.programs ?? []), ...(reviewer_hand_off?.programs ?? [])]
  return programs.filter((program) => program != null)
}

async function readInput<Input>(
  deps: SessionLogDeps & { blobs: Blobs },
  sid: string,
  run: RunState,
  schema: z.ZodType<Input>,
  options: { signal: AbortSignal },
): Promise<Input | undefined> {
  for await (const event of deps.log.read(logName(sid), run.firstSeq - 1, options)) {
    return event.type === "run_created" ? readField(deps.blobs, event.input, schema, options) : undefined
  }
  return undefined
}

/**
 * Opens the accounts that may take over. Skips accounts whose key can't be decrypted, because other accounts may still
 * be able to take over.
 */
async function fallbacksOf(
  { agentAccounts }: { agentAccounts: AgentAccounts },
  owner: string,
  { account: own, hand_off }: AgentInput,
  options: { signal: AbortSignal },
): Promise<[string, RunAccounts["account"]][]> {
  const others = (hand_off?.programs ?? []).filter(({ account }) => account !== own)
  const opened = await Promise.all(
    others.map(async ({ cli, account }) => {
      const value = await agentAccounts.open(owner, { cli, account }, options).catch(() => undefined)
      return value ? [[account, forRunner(value)] as [string, RunAccounts["account"]]] : []
    }),
  )
  return opened.flat()
}

/**
 * Opens the accounts of the reviewer and of the agents that may replace it. If a key can't be decrypted, the review
 * will report a missing key.
 */
async function reviewersOf(
  { agentAccounts }: { agentAccounts: AgentAccounts },
  owner: string,
  { verification }: AgentInput,
  options: { signal: AbortSignal },
): Promise<[string, RunAccounts["account"]][]> {
  const { reviewer, reviewer_hand_off } = verification ?? {}
  if (!reviewer) return []
  const all = [...(reviewer_hand_off?.programs ?? []), reviewer]
  return Promise.all(
    all.map(async (one): Promise<[string, RunAccounts["account"]]> => {
      const opened = await agentAccounts.open(owner, one, options).catch(() => NO_CREDENTIALS)
      return [reviewerAccount(one.account), forRunner(opened)]
    }),
  )
}

function forRunner({ apiKey, baseUrl, login, home, bedrock, mock, added }: AgentCredentials): RunAccounts["account"] {
  const more = {
    ...(login !== null && { login }),
    ...(bedrock && { bedrock }),
    ...(mock && { mock }),
    ...(added && { added }),
  }
  return { api_key: apiKey, base_url: baseUrl, home, ...more }
}
