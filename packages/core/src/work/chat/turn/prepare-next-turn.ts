import { openWorkspace } from "../../../files/workspaces/files.ts"
import { openSessionLog } from "../../../kernel/session-log.ts"
import { shownFiles } from "../files/shown-files.ts"
import { indexFiles } from "../prompt/code-map.ts"
import { compactHistory } from "./compact-history.ts"
import type { ChatDeps, Turn } from "./turn.ts"

const PARSE_WITHIN_MS = 10_000

/**
 * Prepares the next turn once a turn is settled, while the person reads the answer. The next turn can't start until the
 * preparation is done.
 */
export async function prepareNextTurn(deps: ChatDeps, turn: Turn): Promise<void> {
  turn.context.beforeStep()
  await compactHistory(deps, turn)
  if (turn.hasUnparsedFiles) await parseRest(deps, turn)
}

async function parseRest(deps: ChatDeps, { context: { sid, signal } }: Turn): Promise<void> {
  const session = await openSessionLog(deps, sid, { signal })
  const workspace = await openWorkspace(deps, session, { at: shownFiles(session.state), signal })
  await indexFiles(deps, session, workspace, { withinMs: PARSE_WITHIN_MS, signal })
}
