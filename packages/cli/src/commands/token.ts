import { CreatedToken, Me, type Scope, type Token } from "@switchyard/core/people/access/schema"
import * as z from "zod"
import { TokenList } from "../api/responses.ts"
import type { Cli } from "../cli.ts"

export interface NewTokenOptions {
  name: string
  scope: Scope[]
  owner?: string
  expiresDays?: number
}

/**
 * Creates a token. Writes only the secret to stdout, so that a script can capture it. If the reply is lost, the token
 * remains in the list, but its secret is lost.
 */
export async function createToken(cli: Cli, { name, scope, owner, expiresDays }: NewTokenOptions): Promise<void> {
  const { terminal, api } = cli
  const body = { name, scopes: scope, owner, expires_in_days: expiresDays }
  const created = await api.ask("POST /v1/tokens", CreatedToken, { body })
  if (terminal.json) terminal.printJson(created)
  else {
    terminal.print(created.secret)
    const { secret: _, ...token } = created
    terminal.notice(lineOf(token))
    terminal.notice("The secret is shown only once.")
  }
}

/** Lists the tokens that the caller may see. */
export async function listTokens({ terminal, api }: Cli): Promise<void> {
  const { tokens } = await api.ask("GET /v1/tokens", TokenList, {})
  for (const token of tokens) terminal.show(token, lineOf(token))
}

/** Revokes a token, and all logins that were made with it. */
export async function revokeToken({ terminal, api }: Cli, id: string): Promise<void> {
  await api.ask("DELETE /v1/tokens/{id}", z.unknown(), { path: { id } })
  terminal.show({ id, revoked: true }, `${id} was revoked.`)
}

export async function whoami({ terminal, api }: Cli): Promise<void> {
  const me = await api.ask("GET /v1/me", Me, {})
  terminal.show(me, `${me.owner}  ${me.scopes.join(",")}  ${me.token_id ?? "no token needed on this server"}`)
}

function lineOf({ id, owner, scopes, name, created_by, last_used_at, expires_at }: Token): string {
  const used = last_used_at ? `used ${last_used_at}` : "never used"
  const expires = expires_at ? `expires ${expires_at}` : "never expires"
  const maker = created_by === null || created_by === owner ? [] : [`created by ${created_by}`]
  return [id, owner, scopes.join(","), name, used, expires, ...maker].join("  ")
}
