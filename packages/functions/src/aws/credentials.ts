import {
  type CredentialsAnswer,
  CredentialsRequest,
  type OwnerBudgetAnswer,
  OwnerBudgetRequest,
} from "@switchyard/core/agents/runner/credentials-schema"
import { createRunnerTickets, mayServe } from "@switchyard/core/agents/runner/tickets"
import { type WarmAnswer, WarmRequest } from "@switchyard/core/agents/runner/warm-schema"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
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

const Request = z.union([OwnerBudgetRequest, CredentialsRequest, WarmRequest])

/**
 * Returns AWS credentials to a session's runner, limited to that session's records and blobs. Also answers questions
 * about the owner's budget, which runners can't read, and tells waiting runners which session they serve, without
 * returning credentials. Only runners may call it.
 */
export async function handler(
  payload: unknown,
  context: Invocation,
): Promise<CredentialsAnswer | OwnerBudgetAnswer | WarmAnswer> {
  const request = Request.parse(payload)
  const options = { signal: abortBeforeDeadline(context) }
  if ("warm" in request) return { warm: await pool.ask(request.warm, request.executor, options) }
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

async function ownerBudget(request: OwnerBudgetRequest, options: { signal: AbortSignal }): Promise<OwnerBudgetAnswer> {
  const { ticket, executor, budget_of: runId } = request
  const session = await openSessionLog(core.executor, ticket.sid, options)
  if (!mayServe(session.state, ticket, executor) || !(await tickets.isGood(ticket, executor, options)))
    return { budget: null }
  if ((await index.get(runId, options))?.sid !== ticket.sid) return { budget: null }
  const { createOwnerBudget } = await import("@switchyard/core/people/budget/owner-budget")
  const budget = createOwnerBudget({ records, index, ledger: core.ledger, clock })
  const { isSet, reached } = await budget.look(session, runId, options)
  return { budget: { is_set: isSet, reached } }
}
