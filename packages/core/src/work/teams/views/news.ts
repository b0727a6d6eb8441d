import type { LogEvent } from "../../../events.ts"
import { logName } from "../../../kernel/keys.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import { COORDINATOR } from "../schema.ts"
import type { TeamState } from "../state.ts"
import type { TeamDeps } from "../team-context.ts"
import { newsText } from "./texts.ts"

/**
 * Reads the events with these sequence numbers. They should be close together, because the log is scanned from the
 * first to the last of them.
 */
export async function readEvents(
  { log, blobs }: Pick<TeamDeps, "log" | "blobs">,
  sid: string,
  seqs: readonly number[],
  options: { signal: AbortSignal },
): Promise<LogEvent[]> {
  if (seqs.length === 0) return []
  const wanted = new Set(seqs)
  const last = Math.max(...seqs)
  const found: LogEvent[] = []
  for await (const event of log.read(logName(sid), Math.min(...seqs) - 1, options)) {
    if (wanted.has(event.seq)) found.push(await hydrateEvent(blobs, event as LogEvent, options))
    if (event.seq >= last) break
  }
  return found
}

/** Returns all of a member's unread events in one message, or undefined if there are none. */
export async function unreadNews(
  deps: Pick<TeamDeps, "log" | "blobs">,
  { sid, team, member }: { sid: string; team: TeamState; member: string },
  options: { signal: AbortSignal },
): Promise<{ say: string; tells: number[] } | undefined> {
  const unread = team.inboxes[member] ?? []
  if (unread.length === 0) return undefined
  const tells = member === COORDINATOR && team.movedSeq !== null ? [...unread, team.movedSeq] : unread
  const events = await readEvents(deps, sid, tells, options)
  return { say: events.map((event) => newsText(team, event)).join("\n\n---\n\n"), tells }
}
