import * as z from "zod"
import { openSessionLog, type SessionLogDeps } from "../kernel/session-log.ts"
import { isLive } from "../kernel/state.ts"
import type { SessionState } from "../state.ts"
import { isForRunner } from "../work/runs/kinds.ts"
import { activeRuns } from "../work/runs/state.ts"

/** Time when an agent's run was about to start in a session. Only a hint, because the log is authoritative. */
const Noted = z.object({ at: z.number() })

/** A run that was neither started nor refused within this time is considered dead. */
const BEGINS_WITHIN_MS = 10 * 60_000

/** Counts the active runs of the owner's agents. Each run has a terminal. */
export async function countTerminals(
  deps: SessionLogDeps,
  owner: string,
  { signal }: { signal: AbortSignal },
): Promise<number> {
  let count = 0
  for await (const { key, value, version } of deps.records.range(partitionOf(owner), { signal })) {
    const open = openIn((await openSessionLog(deps, key.sort, { signal })).state)
    count += open
    const isOver = open === 0 && deps.clock.now() - Noted.parse(value).at > BEGINS_WITHIN_MS
    if (isOver) await deps.records.remove(key, { ifVersion: version, signal })
  }
  return count
}

/** Records that an agent's run is about to start in this session. */
export async function noteTerminal(
  { records, clock }: SessionLogDeps,
  owner: string,
  sid: string,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  await records.put({ partition: partitionOf(owner), sort: sid }, { value: { at: clock.now() } }, { signal })
}

function openIn(state: SessionState): number {
  return isLive(state) ? activeRuns(state).filter(isForRunner).length : 0
}

function partitionOf(owner: string): string {
  return `agents-at-work/${owner}`
}
