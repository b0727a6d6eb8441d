import {
  type ArchiveAnswer,
  ArchiveRequest,
  type CredentialsAnswer,
  CredentialsRequest,
  type OwnerBudgetAnswer,
  OwnerBudgetRequest,
} from "@switchyard/core/agents/runner/credentials-schema"
import { createRunnerTickets, mayServe } from "@switchyard/core/agents/runner/tickets"
import { type WarmAnswer, WarmRequest } from "@switchyard/core/agents/runner/warm-schema"
import { openSessionLog, type SessionLog } from "@switchyard/core/kernel/session-log"
import { createRunIndex, type RunRef } from "@switchyard/core/work/runs/run-index"
import * as z from "zod"
import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { abortBeforeDeadline, type Invocation } from "./deadline.ts"
import { createSessionRole } from "./session-role.ts"
import { createWarmPool } from "./warm-pool.ts"

const env = withoutTracing(process.env)
const { clock, logLine, core } = await openCloud(env, { writer: "credentials" })
const { records } = core.executor
const index = createRunIndex(records)
const tickets = createRunnerTickets({ records, now: clock.now })
const role = createSessionRole(z.object({ SESSION_ROLE: z.string().min(1) }).parse(env).SESSION_ROLE)

const pool = createWarmPool({ records, clock })

const Request = z.union([OwnerBudgetRequest, ArchiveRequest, CredentialsRequest, WarmRequest])

/**
 * Returns AWS credentials to a session's runner, limited to that session's records and blobs. Also answers questions
 * about the owner's budget, which runners can't read, finds and stores archives of prepared worktrees, and tells waiting
 * runners which session they serve, without returning credentials. Only runners may call it.
 */
export async function handler(
  payload: unknown,
  context: Invocation,
): Promise<CredentialsAnswer | OwnerBudgetAnswer | ArchiveAnswer | WarmAnswer> {
  const request = Request.parse(payload)
  const options = { signal: abortBeforeDeadline(context) }
  if ("warm" in request) return { warm: await pool.ask(request.warm, request.executor, options) }
  if ("archive" in request) return { archive: { url: await archive(request, options) } }
  return "budget_of" in request ? ownerBudget(request, options) : credentials(request, options)
}

async function credentials({ ticket, executor }: CredentialsRequest, options: { signal: AbortSignal }) {
  const { state } = await openSessionLog(core.executor, ticket.sid, options)
  const next = mayServe(state, ticket, executor) ? await tickets.exchange(ticket, executor, options) : undefined
  const { sid, generation } = ticket
  logLine("credentials", { sid, generation, executor, granted: next !== undefined })
  if (!next) return { granted: null }
  return { granted: { ...(await role.credentialsFor(sid, options)), ticket: next } }
}

/** Returns the request's session and the run's entry. Undefined if the ticket isn't valid, or not for this run. */
async function sessionOf(
  { ticket, executor }: CredentialsRequest,
  runId: string,
  options: { signal: AbortSignal },
): Promise<{ session: SessionLog; run: RunRef } | undefined> {
  const session = await openSessionLog(core.executor, ticket.sid, options)
  if (!mayServe(session.state, ticket, executor) || !(await tickets.isGood(ticket, executor, options))) return undefined
  const run = await index.get(runId, options)
  return run?.sid === ticket.sid ? { session, run } : undefined
}

async function archive(request: ArchiveRequest, options: { signal: AbortSignal }): Promise<string | null> {
  const { act, run_id, name } = request.archive
  const found = await sessionOf(request, run_id, options)
  if (found?.run.repository === undefined) return null
  const { owner, repository } = found.run
  const { incarnation } = found.session.state.session
  const { createStoredArchives } = await import("@switchyard/core/files/worktrees/stored-archives")
  const archives = createStoredArchives(core.executor)
  const place = { owner, repository }
  if (act === "find") return archives.find(place, name, options)
  const kept = await archives.keep(place, { sid: request.ticket.sid, incarnation, name }, options)
  logLine("archive", { sid: request.ticket.sid, name, kept })
  return null
}

async function ownerBudget(request: OwnerBudgetRequest, options: { signal: AbortSignal }): Promise<OwnerBudgetAnswer> {
  const { budget_of: runId } = request
  const found = await sessionOf(request, runId, options)
  if (!found) return { budget: null }
  const { session } = found
  const { createOwnerBudget } = await import("@switchyard/core/people/budget/owner-budget")
  const budget = createOwnerBudget({ records, index, ledger: core.ledger, clock })
  const { isSet, reached } = await budget.look(session, runId, options)
  return { budget: { is_set: isSet, reached } }
}
