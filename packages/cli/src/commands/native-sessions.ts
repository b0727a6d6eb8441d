import { resolve } from "node:path"
import type { CliId } from "@switchyard/core/agents/clis/clis"
import { CommandForTerminal, NativeSessionList } from "../api/responses.ts"
import type { Cli } from "../cli.ts"

export interface NativeSessionOptions {
  repository: string
  agent?: CliId
}

/** Lists the sessions that were begun in one's own terminal, in a folder on the server's machine. */
export async function nativeSessions({ api, terminal }: Cli, options: NativeSessionOptions): Promise<void> {
  const asked = { query: { project_path: resolve(options.repository) } }
  const { sessions } = await api.ask("GET /api/v1/native-sessions", NativeSessionList, asked)
  const wanted = sessions.filter(({ agent }) => options.agent === undefined || agent === options.agent)
  if (terminal.json) terminal.printJson({ sessions: wanted })
  else if (wanted.length === 0) terminal.notice("No agent has a session in this folder.")
  else
    for (const { agent, session_id, updated_at, title } of wanted)
      terminal.print([agent.padEnd(8), session_id, updated_at, title ?? ""].join("  ").trimEnd())
}

/** Prints the command that continues an agent's session in one's own terminal. */
export async function ownTerminal({ api, terminal }: Cli, id: string, { agent }: { agent: string }): Promise<void> {
  const asked = { path: { id, agent } }
  const answer = await api.ask("POST /api/v1/sessions/{id}/agents/{agent}/own-terminal", CommandForTerminal, asked)
  terminal.show(answer, answer.command)
}
