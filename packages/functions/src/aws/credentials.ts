import { type CredentialsAnswer, CredentialsRequest } from "@switchyard/core/agents/runner/credentials-schema"
import { createRunnerTickets, mayServe } from "@switchyard/core/agents/runner/tickets"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import * as z from "zod"
import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { abortBeforeDeadline, type Invocation } from "./deadline.ts"
import { createSessionRole } from "./session-role.ts"

const env = withoutTracing(process.env)
const { clock, logLine, core } = openCloud(env, { writer: "credentials" })
const tickets = createRunnerTickets({ records: core.executor.records, now: clock.now })
const role = createSessionRole(z.object({ SESSION_ROLE: z.string().min(1) }).parse(env).SESSION_ROLE)

/** Gives a runner credentials for its own session's records and blobs, for its ticket. Only runners may call it. */
export async function handler(payload: unknown, context: Invocation): Promise<CredentialsAnswer> {
  const { ticket, executor } = CredentialsRequest.parse(payload)
  const options = { signal: abortBeforeDeadline(context) }
  const { state } = await openSessionLog(core.executor, ticket.sid, options)
  const next = mayServe(state, ticket, executor) ? await tickets.exchange(ticket, executor, options) : undefined
  const { sid, generation } = ticket
  logLine("credentials", { sid, generation, executor, granted: next !== undefined })
  if (!next) return { granted: null }
  return { granted: { ...(await role.credentialsFor(sid, options)), ticket: next } }
}
