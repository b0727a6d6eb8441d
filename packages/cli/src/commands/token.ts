import type { Scope, Token } from "@switchyard/core/people/access/schema"
import type { Cli } from "../cli.ts"
import { EXIT } from "../errors/exit.ts"

export interface NewTokenOptions {
  name: string
  scope: Scope[]
  owner?: string
  expiresDays?: number
}

/** Creates a token. Only its secret goes to stdout, so that a script can capture it. */
export async function createToken(cli: Cli, { name, scope, owner, expiresDays }: NewTokenOptions): Promise<number> {
  const { terminal, api, interrupts } = cli
  const asked = { name, scopes: scope, owner, expires_in_days: expiresDays }
  const created = await api.createToken(asked, { signal: interrupts.first })
  if (terminal.json) terminal.printJson(created)
  else {
    terminal.print(created.secret)
    const { secret: _, ...token } = created
    terminal.notice(lineOf(token))
    terminal.notice("The secret is shown only once.")
  }
  return EXIT.done
}

/** Lists the tokens that the caller may see. */
export async function listTokens({ terminal, api, interrupts }: Cli): Promise<number> {
  for (const token of await api.tokens({ signal: interrupts.first })) {
    if (terminal.json) terminal.printJson(token)
    else terminal.print(lineOf(token))
  }
  return EXIT.done
}

/** Revokes a token and every login made with it. */
export async function revokeToken({ terminal, api, interrupts }: Cli, tokenId: string): Promise<number> {
  await api.revokeToken(tokenId, { signal: interrupts.first })
  if (terminal.json) terminal.printJson({ id: tokenId, revoked: true })
  else terminal.print(`${tokenId} is revoked.`)
  return EXIT.done
}

/** Shows the identity of the caller. */
export async function whoami({ terminal, api, interrupts }: Cli): Promise<number> {
  const me = await api.me({ signal: interrupts.first })
  if (terminal.json) terminal.printJson(me)
  else terminal.print(`${me.owner}  ${me.scopes.join(",")}  ${me.token_id ?? "no token needed on this server"}`)
  return EXIT.done
}

function lineOf({ id, owner, scopes, name, created_by, last_used_at, expires_at }: Token): string {
  const used = last_used_at ? `used ${last_used_at}` : "never used"
  const expires = expires_at ? `expires ${expires_at}` : "never expires"
  const maker = created_by === null || created_by === owner ? [] : [`made by ${created_by}`]
  return [id, owner, scopes.join(","), name, used, expires, ...maker].join("  ")
}
