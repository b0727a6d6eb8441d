import { AppError } from "../errors.ts"
import type { SessionLogDeps } from "../kernel/session-log.ts"
import type { Blobs } from "../storage/blobs.ts"
import { formatBytes, formatCount } from "../text/format.ts"
import { countTerminals, noteTerminal } from "./open-terminals.ts"
import { entriesOf } from "./session-index.ts"
import { createStoredBytes } from "./stored-bytes.ts"

/** Limits for one owner; 0 means unlimited. */
export interface Limits {
  sessions: number
  storedBytes: number
  /** Limit on agents' active runs. Each run has a terminal. */
  terminals: number
}

/**
 * Limits per owner, checked before anything is created. Each method throws `limit_reached` if its limit would be
 * exceeded. With N concurrent requests, a limit may be exceeded by at most N.
 */
export type OwnerLimits = ReturnType<typeof createOwnerLimits>

export function createOwnerLimits(deps: SessionLogDeps & { blobs: Blobs; limits: Limits }) {
  const { records, limits } = deps
  const stored = createStoredBytes(deps)
  return {
    async requireSession(owner: string, { signal }: { signal: AbortSignal }): Promise<void> {
      if (limits.sessions === 0) return
      const found = await Array.fromAsync(entriesOf(records, owner, { limit: limits.sessions, signal }))
      if (found.length >= limits.sessions) throw reached("sessions", limits.sessions)
    },
    /**
     * Counts bytes that are about to be stored in a session. With 0 bytes, only checks that the limit isn't already
     * exceeded.
     */
    async requireBytes(owner: string, sid: string, bytes: number, options: { signal: AbortSignal }): Promise<void> {
      if (limits.storedBytes === 0) return
      if (!(await stored.add(owner, sid, bytes, options))) throw reached("storedBytes", limits.storedBytes)
    },
    /** Checks that the owner may have one more terminal, or `count` more if several runs start together. */
    async requireTerminal(
      owner: string,
      sid: string,
      { count = 1, ...options }: { count?: number; signal: AbortSignal },
    ): Promise<void> {
      if (limits.terminals === 0) return
      const open = await countTerminals(deps, owner, options)
      if (open + count > limits.terminals) throw reached("terminals", limits.terminals)
      await noteTerminal(deps, owner, sid, options)
    },
    /** Stops counting a deleted session's bytes once its data is removed. */
    async release(owner: string, sid: string, options: { signal: AbortSignal }): Promise<void> {
      if (limits.storedBytes > 0) await stored.release(owner, sid, options)
    },
  }
}

/** Error message for each limit, and the operator's setting for the limit. */
const REFUSALS: Record<keyof Limits, (maximum: number) => { message: string; setting: string }> = {
  sessions: (maximum) => ({
    message: `You have ${formatCount(maximum, "session")}, the maximum per owner on this server. Delete an unused session first.`,
    setting: "SESSIONS_PER_OWNER",
  }),
  storedBytes: (maximum) => ({
    message: `Your sessions and published apps use ${formatBytes(maximum)}, the maximum per owner on this server. Delete sessions or unpublish apps you don't need; their space is freed 15 minutes later.`,
    setting: "STORED_MB_PER_OWNER",
  }),
  terminals: (maximum) => ({
    message: `You have ${formatCount(maximum, "agent")} working or waiting, the maximum per owner on this server. Wait for one to finish, or stop one.`,
    setting: "TERMINALS_PER_OWNER",
  }),
}

function reached(limit: keyof Limits, maximum: number): AppError {
  const { message, setting } = REFUSALS[limit](maximum)
  return new AppError("limit_reached", message, { maximum, setting })
}
