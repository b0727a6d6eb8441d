import { RunnerLoginRequest } from "@switchyard/core/agents/runner/credentials-schema"
import type { LoginAnswer } from "@switchyard/core/agents/runner/login-schema"
import { createRunnerTickets, mayServe } from "@switchyard/core/agents/runner/tickets"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createRunLogins } from "@switchyard/core/people/accounts/run-logins"
import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { abortBeforeDeadline, type Invocation } from "./deadline.ts"

const { clock, logLine, core } = await openCloud(withoutTracing(process.env), { writer: "logins" })
const tickets = createRunnerTickets({ records: core.executor.records, now: clock.now })
const logins = createRunLogins({ ...core.executor, accounts: core.accounts })

/**
 * Lends an account's login to a run's runner, one runner at a time, and stores renewed logins. Only this function can
 * unseal logins for a runner, and only runners may call it.
 */
export async function handler(payload: unknown, context: Invocation): Promise<LoginAnswer> {
  const { ticket, executor, login } = RunnerLoginRequest.parse(payload)
  const options = { signal: abortBeforeDeadline(context) }
  const { sid } = ticket

  async function isTrusted(): Promise<boolean> {
    const { state } = await openSessionLog(core.executor, sid, options)
    return mayServe(state, ticket, executor) && (await tickets.isGood(ticket, executor, options))
  }

  const answer = await logins.answer({ sid, isTrusted }, login, options)
  logLine("login", { sid, executor, act: login.act, state: answer.state })
  return answer
}
