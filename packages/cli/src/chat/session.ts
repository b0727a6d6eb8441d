import type { Cli } from "../cli.ts"
import type { TurnSettings } from "./ask.ts"

export interface Conversation {
  cli: Cli
  /** ID of the session. Undefined before the first message, unless a session was specified. */
  sessionId: string | undefined
  settings: TurnSettings
}

export async function openSession(
  { api, terminal }: Cli,
  { repository, signal }: { repository?: string; signal: AbortSignal },
): Promise<string> {
  const { id } = await api.openSession({ repository }, { signal })
  if (!terminal.json) terminal.notice(`Opened a new session. To return to it: npx switchyard chat ${id}`)
  return id
}
