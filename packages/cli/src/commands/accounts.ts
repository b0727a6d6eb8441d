import { type CliId, needsKey } from "@switchyard/core/agents/clis/clis"
import type { AccountView } from "@switchyard/core/people/accounts/schema"
import type { Cli } from "../cli.ts"
import { EXIT } from "../errors/exit.ts"
import { readSecret } from "../input/read-secret.ts"

export interface AccountOptions {
  provider: CliId
  model?: string
  baseUrl?: string
}

/** Adds an account for an agent. Reads its key from stdin if the agent needs one. */
export async function addAccount(
  cli: Cli,
  name: string,
  { provider, model, baseUrl }: AccountOptions,
): Promise<number> {
  const { api, interrupts } = cli
  const api_key = needsKey(provider) ? await readSecret(cli, `key of ${name}`) : undefined
  showAccount(
    cli,
    await api.createAccount({ name, provider, api_key, model, base_url: baseUrl }, { signal: interrupts.first }),
  )
  return EXIT.done
}

export async function listAccounts(cli: Cli): Promise<number> {
  for (const account of await cli.api.accounts({ signal: cli.interrupts.first })) showAccount(cli, account)
  return EXIT.done
}

/** Replaces the key of an account. Reads the new key from stdin. */
export async function changeAccountKey(cli: Cli, name: string): Promise<number> {
  const key = await readSecret(cli, `new key of ${name}`)
  showAccount(cli, await cli.api.changeAccountKey(name, key, { signal: cli.interrupts.first }))
  return EXIT.done
}

export async function removeAccount({ terminal, api, interrupts }: Cli, name: string): Promise<number> {
  await api.removeAccount(name, { signal: interrupts.first })
  if (terminal.json) terminal.printJson({ account_name: name, deleted: true })
  else terminal.print(`The account ${name} was deleted.`)
  return EXIT.done
}

/** Prints an account, without its key or log-in. */
export function showAccount({ terminal }: Cli, account: AccountView): void {
  const { name, provider, model, base_url, has_login, ready } = account
  const options = [model, base_url, has_login ? "with a log-in" : null, ready ? null : "needs a key"].filter(
    (part) => part !== null,
  )
  if (terminal.json) terminal.printJson(account)
  else terminal.print([name, provider, ...options].join("  "))
}
