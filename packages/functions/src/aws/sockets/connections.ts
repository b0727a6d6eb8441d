import { type Principal, Scope } from "@switchyard/core/people/access/schema"
import type { RecordKey, Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/time"
import * as z from "zod"

/** A client's connection, and the authenticated caller. */
export interface Connection {
  /** Path and query string that the client connected to. */
  path: string
  query: string
  principal: Principal
}

/**
 * Records of API Gateway's open connections. They are only hints: a record may be missing or outlive its connection.
 * Only API Gateway knows which connections are open; it responds with 410 for all others.
 */
export type Connections = ReturnType<typeof createConnections>

/** Lifetime of a record. API Gateway closes every connection after two hours; the rest is a margin. */
const LONGEST_SECONDS = 2 * 3600 + 600

/** Maximum wait for another invocation to deliver the previous input. */
const TURN_WITHIN_MS = 5000
const LOOK_EVERY_MS = 25

export function createConnections({ records, clock }: { records: Records; clock: Clock }) {
  const key = (id: string, sort: "connection" | "inputs"): RecordKey => ({ partition: `connections/${id}`, sort })
  const expiresAt = () => Math.ceil(clock.now() / 1000) + LONGEST_SECONDS

  async function delivered(id: string, options: { signal: AbortSignal }): Promise<number> {
    const found = await records.get(key(id, "inputs"), options)
    return found ? Inputs.parse(found.value).client_seq : 0
  }

  return {
    async add(
      id: string,
      { path, query, principal: { owner, scopes, tokenId, loginId } }: Connection,
      { signal }: { signal: AbortSignal },
    ): Promise<void> {
      const known = { path, query, owner, scopes, token_id: tokenId }
      const value = loginId === undefined ? known : { ...known, login_id: loginId }
      await records.put(key(id, "connection"), { value }, { expiresAt: expiresAt(), signal })
    },
    async find(id: string, options: { signal: AbortSignal }): Promise<Connection | undefined> {
      const found = await records.get(key(id, "connection"), options)
      if (!found) return undefined
      const { path, query, owner, scopes, token_id, login_id } = StoredConnection.parse(found.value)
      const login = login_id === undefined ? {} : { loginId: login_id }
      return { path, query, principal: { owner, scopes, tokenId: token_id, ...login } }
    },
    async remove(id: string, options: { signal: AbortSignal }): Promise<void> {
      await records.remove(key(id, "connection"), options)
      await records.remove(key(id, "inputs"), options)
    },
    /**
     * Waits until the previous input has been delivered. Returns true if this input is next, false if it was already
     * delivered, and undefined if the previous input doesn't arrive in time.
     */
    async awaitTurn(id: string, clientSeq: number, options: { signal: AbortSignal }): Promise<boolean | undefined> {
      const until = clock.monotonic() + TURN_WITHIN_MS
      for (;;) {
        const last = await delivered(id, options)
        if (last >= clientSeq) return false
        if (last === clientSeq - 1) return true
        if (clock.monotonic() > until) return undefined
        await clock.sleep(LOOK_EVERY_MS, options)
      }
    },
    /** Marks an input as delivered. */
    async endTurn(id: string, clientSeq: number, { signal }: { signal: AbortSignal }): Promise<void> {
      await records.put(key(id, "inputs"), { value: { client_seq: clientSeq } }, { expiresAt: expiresAt(), signal })
    },
  }
}

const StoredConnection = z.object({
  path: z.string(),
  query: z.string(),
  owner: z.string(),
  scopes: z.array(Scope),
  token_id: z.string(),
  login_id: z.string().optional(),
})

const Inputs = z.object({ client_seq: z.int().min(0) })
