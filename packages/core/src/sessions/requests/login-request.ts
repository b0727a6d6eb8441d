import { cliOf } from "../../agents/added/cli-of.ts"
import { loginNotice } from "../../agents/clis/clis.ts"
import { AppError } from "../../errors.ts"
import { sessionKey } from "../../ids.ts"
import type { Accounts } from "../../people/accounts/accounts.ts"
import type { NewLoginTerminal } from "../../people/accounts/schema.ts"
import { agentsUnavailable } from "../../work/runs/launcher.ts"
import type { NewRun } from "../../work/runs/run-starts.ts"
import type { AgentHost } from "./agent-host.ts"

export interface LoginRequestDeps {
  accounts: Pick<Accounts, "credentials">
  /** The machine for agents. Undefined if there are no runners. */
  agents?: AgentHost
  newSessionId: () => string
}

/**
 * Returns the run that logs in with an agent's own program. The run gets a temporary session, which is deleted when the
 * run ends. Throws `agents_unavailable` if this server can't run programs, `validation_error` if the account can't have
 * this kind of login, and `consent_required` if the request doesn't accept the login's terms.
 */
export async function parseLogin(
  { accounts, agents, newSessionId }: LoginRequestDeps,
  { owner, account, login }: { owner: string; account: string; login: NewLoginTerminal },
  options: { signal: AbortSignal },
): Promise<NewRun> {
  const { provider: cli, consent } = login
  if (!agents) throw agentsUnavailable()
  const known = cliOf(cli).login
  const refuse = (message: string) => new AppError("validation_error", message, { provider: cli })
  if ("refused" in known) throw refuse(known.refused)
  if (!known.command) throw refuse("This agent has no interactive login. Send its login files instead.")
  const stored = await accounts.credentials(owner, account, options)
  if (stored && stored.provider !== cli) throw refuse("The account with this name belongs to another agent.")
  if (stored?.baseUrl)
    throw refuse("A login works only with the vendor's own API, so the account can't have a base_url.")
  if (!consent) {
    const message = `${loginNotice(known)} To agree, send "consent": true with the request.`
    throw new AppError("consent_required", message, { provider: cli })
  }
  const sessionId = newSessionId()
  return {
    owner,
    sid: sessionKey(owner, sessionId),
    sessionId,
    kind: "login",
    model: "none",
    input: { account, agent: cli },
  }
}
