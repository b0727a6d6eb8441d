import type { GitHost, GitHostKind } from "@switchyard/core/people/git-hosts/schema"
import type { Cli } from "../cli.ts"
import { EXIT } from "../errors/exit.ts"
import { readSecret } from "../input/read-secret.ts"

export interface GitHostOptions {
  kind?: GitHostKind
  username?: string
  apiUrl?: string
  http?: boolean
}

/** Adds or replaces the token for a git host. Reads the token from stdin. */
export async function addGitHost(cli: Cli, host: string, options: GitHostOptions): Promise<number> {
  const { api, interrupts } = cli
  const token = await readSecret(cli, `token for ${host}`)
  const { kind, username, apiUrl: api_url, http } = options
  const settings = { token, kind, username, api_url, scheme: http ? ("http" as const) : ("https" as const) }
  show(cli, await api.putGitHost(host, settings, { signal: interrupts.first }))
  return EXIT.done
}

/** Lists the git hosts, without their tokens. */
export async function listGitHosts(cli: Cli): Promise<number> {
  for (const host of await cli.api.gitHosts({ signal: cli.interrupts.first })) show(cli, host)
  return EXIT.done
}

/** Deletes the token for a git host. */
export async function removeGitHost({ terminal, api, interrupts }: Cli, host: string): Promise<number> {
  await api.removeGitHost(host, { signal: interrupts.first })
  if (terminal.json) terminal.printJson({ host, deleted: true })
  else terminal.print(`The token for ${host} was deleted.`)
  return EXIT.done
}

function show({ terminal }: Cli, host: GitHost): void {
  const user = host.username === null ? [] : [`user ${host.username}`]
  if (terminal.json) terminal.printJson(host)
  else terminal.print([host.host, host.kind, ...user, `token of ${host.rotated_at}`].join("  "))
}
