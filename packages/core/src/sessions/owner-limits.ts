import { AppError } from "../errors.ts"
import { formatBytes, formatCount } from "../format.ts"
import type { SessionLogDeps } from "../kernel/session-log.ts"
import type { Blobs } from "../storage/blobs.ts"
import { countTerminals, noteTerminal } from "./open-terminals.ts"
import { entriesOf } from "./session-index.ts"
import { createStoredBytes } from "./stored-bytes.ts"

/** The limits of one owner at any time; 0 for no limit. */
export interface Limits {
  sessions: number
  storedBytes: number
  /** Of agents' runs, each of which has one while it is active. */
  terminals: number
}

/**
 * The limits of owners, asked before anything is made. Each throws `limit_reached`. Requests at the same moment may pass a
 * limit by as many as there are of them.
 */
export interface OwnerLimits {
  requireSession(owner: string, options: { signal: AbortSignal }): Promise<void>
  /** Counts bytes that are about to be stored in a session; none, to ask whether there is room at all. */
  requireBytes(owner: string, sid: string, bytes: number, options: { signal: AbortSignal }): Promise<void>
  /** Asks for one terminal, or for as many as runs are to begin together. */
  requireTerminal(owner: string, sid: string, options: { count?: number; signal: AbortSignal }): Promise<void>
  /** Frees what a session held that was deleted, once its data is removed. */
  release(owner: string, sid: string, options: { signal: AbortSignal }): Promise<void>
}

export function createOwnerLimits(deps: SessionLogDeps & { blobs: Blobs; limits: Limits }): OwnerLimits {
  const { records, limits } = deps
  const stored = createStoredBytes(deps)
  return {
    async requireSession(owner, { signal }) {
      if (limits.sessions === 0) return
      const found = await Array.fromAsync(entriesOf(records, owner, { limit: limits.sessions, signal }))
      if (found.length >= limits.sessions) throw reached("sessions", limits.sessions)
    },
    async requireBytes(owner, sid, bytes, options) {
      if (limits.storedBytes === 0) return
      if (!(await stored.add(owner, sid, bytes, options))) throw reached("storedBytes", limits.storedBytes)
    },
    async requireTerminal(owner, sid, { count = 1, ...options }) {
      if (limits.terminals === 0) return
      const open = await countTerminals(deps, owner, options)
      if (open + count > limits.terminals) throw reached("terminals", limits.terminals)
      await noteTerminal(deps, owner, sid, options)
    },
    async release(owner, sid, options) {
      if (limits.storedBytes > 0) await stored.release(owner, sid, options)
    },
  }
}

/** The words for each limit: what there is too much of, what to do, and the setting of whoever runs the server. */
const REFUSALS: Record<keyof Limits, (maximum: number) => { message: string; setting: string }> = {
  sessions: (maximum) => ({
    message: `You have ${formatCount(maximum, "session")}, the most that this server keeps for one owner. Delete one that you don't need.`,
    setting: "SESSIONS_PER_OWNER",
  }),
  storedBytes: (maximum) => ({
    message: `Your sessions hold as much as this server keeps for one owner, ${formatBytes(maximum)}. Delete sessions that you don't need; their space is free 15 minutes later.`,
    setting: "STORED_MB_PER_OWNER",
  }),
  terminals: (maximum) => ({
    message: `You have ${formatCount(maximum, "agent")} at work or waiting, the most that this server has for one owner. Wait for one of them, or stop it.`,
    setting: "TERMINALS_PER_OWNER",
  }),
}

function reached(limit: keyof Limits, maximum: number): AppError {
  const { message, setting } = REFUSALS[limit](maximum)
  return new AppError("limit_reached", message, { maximum, setting })
}
