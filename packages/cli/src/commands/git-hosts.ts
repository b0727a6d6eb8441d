import { GitHost, type GitHostKind } from "@switchyard/core/people/git-hosts/schema"
import * as z from "zod"
import { GitHostList } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { readSecret } from "../input/read-secret.ts"

export interface GitHostOptions {
  kind?: GitHostKind
  username?: string
  apiUrl?: string
  http?: boolean
}

/** Adds or replaces the token for a git host. Reads the token from stdin. */
export async function addGitHost(cli: Cli, host: string, options: GitHostOptions): Promise<void> {
  const token = await readSecret(cli, `token for ${host}`)
  const { kind, username, apiUrl: api_url, http } = options
  const body = { token, kind, username, api_url, scheme: http ? ("http" as const) : ("https" as const) }
  show(cli, await cli.api.ask("PUT /api/v1/git-hosts/{host}", GitHost, { path: { host }, body }))
}

/** Lists the git hosts without their tokens. */
export async function listGitHosts(cli: Cli): Promise<void> {
  for (const host of (await cli.api.ask("GET /api/v1/git-hosts", GitHostList, {})).git_hosts) show(cli, host)
}

export async function removeGitHost({ terminal, api }: Cli, host: string): Promise<void> {
  await api.ask("DELETE /api/v1/git-hosts/{host}", z.unknown(), { path: { host } })
  terminal.show({ host, deleted: true }, `The token for ${host} was deleted.`)
}

function show({ terminal }: Cli, host: GitHost): void {
  const user = host.username === null ? [] : [`user ${host.username}`]
  terminal.show(host, [host.host, host.kind, ...user, `token set ${host.rotated_at}`].join("  "))
}
