import { text } from "node:stream/consumers"
import type { GitHost, GitHostKind } from "@switchyard/core/people/git-hosts/schema"
import type { Cli } from "../cli.ts"
import { UsageError } from "../errors.ts"
import { EXIT } from "../exit.ts"

export interface GitHostOptions {
  kind?: GitHostKind
  username?: string
  apiUrl?: string
  http?: boolean
}

/** Adds the token for a git host, or replaces it. The token comes by stdin: arguments are for everybody on the machine to read. */
export async function addGitHost(cli: Cli, host: string, options: GitHostOptions): Promise<number> {
  const { api, terminal, interrupts } = cli
  if (process.stdin.isTTY) terminal.notice(`Paste the token for ${host}, then press Enter and Ctrl-D.`)
  const token = (await text(process.stdin)).trim()
  if (!token) throw new UsageError("The token is empty. It is read from stdin.")
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
