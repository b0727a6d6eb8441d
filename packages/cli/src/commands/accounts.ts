import { type CliId, isBuiltIn, needsKey } from "@switchyard/core/agents/clis/clis"
import { AccountView } from "@switchyard/core/people/accounts/schema"
import * as z from "zod"
import { AccountList, AgentProviders } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { readSecret } from "../input/read-secret.ts"

export interface AccountOptions {
  provider: CliId
  model?: string
  baseUrl?: string
}

/** Adds an account for an agent. Reads its key from stdin if the agent needs one. */
export async function addAccount(cli: Cli, name: string, { provider, model, baseUrl }: AccountOptions): Promise<void> {
  const api_key = (await takesKey(cli, provider)) ? await readSecret(cli, `key for ${name}`) : undefined
  const body = { name, provider, api_key, model, base_url: baseUrl }
  showAccount(cli, await cli.api.ask("POST /api/v1/accounts", AccountView, { body }))
}

export async function listAccounts(cli: Cli): Promise<void> {
  const { accounts } = await cli.api.ask("GET /api/v1/accounts", AccountList, {})
  for (const account of accounts) showAccount(cli, account)
}

/** Replaces an account's key. Reads the new key from stdin. */
export async function changeAccountKey(cli: Cli, name: string): Promise<void> {
  const body = { api_key: await readSecret(cli, `new key for ${name}`) }
  showAccount(cli, await cli.api.ask("PUT /api/v1/accounts/{name}/key", AccountView, { path: { name }, body }))
}

export async function removeAccount({ terminal, api }: Cli, name: string): Promise<void> {
  await api.ask("DELETE /api/v1/accounts/{name}", z.unknown(), { path: { name } })
  terminal.show({ account_name: name, deleted: true }, `The account ${name} was deleted.`)
}

/** Prints an account without its key or login. */
export function showAccount({ terminal }: Cli, account: AccountView): void {
  const { name, provider, model, base_url, has_login, ready } = account
  const options = [model, base_url, has_login ? "with a login" : null, ready ? null : "needs a key"].filter(
    (part) => part !== null,
  )
  terminal.show(account, [name, provider, ...options].join("  "))
}

/** True if an account of this agent needs a key. Only the server knows that about agents that it adds. */
async function takesKey({ api }: Cli, provider: CliId): Promise<boolean> {
  if (isBuiltIn(provider)) return needsKey(provider)
  const { providers } = await api.ask("GET /api/v1/providers", AgentProviders, {})
  return providers.find(({ type }) => type === provider)?.needs_key ?? false
}
