import * as z from "zod"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"
import type { Principal } from "./schema.ts"
import { newSecret, signValue, verifyValue } from "./secrets.ts"
import type { VerifiedToken } from "./tokens.ts"

/** Permission that a ticket grants: to use one of its owner's resources, once. */
export interface TicketGrant {
  purpose: string
  resource: string
}

interface TicketsDeps {
  records: Records
  clock: Clock
  signingKey: Uint8Array
  verifyTokenId: (tokenId: string, options: { signal?: AbortSignal }) => Promise<VerifiedToken | undefined>
}

/**
 * Creates tickets. Browsers use them instead of a token if they can't send a header. A ticket is valid for one minute,
 * one resource and one use. It also ends when its caller's token ends.
 */
export function createTickets({ records, clock, signingKey, verifyTokenId }: TicketsDeps) {
  /**
   * Marks a nonce as used. Returns true only the first time. If a write seems to fail, the random mark in the record
   * shows whether only its reply was lost.
   */
  async function consume({ nonce, expires }: Payload, { signal }: { signal?: AbortSignal }): Promise<boolean> {
    const key = { partition: `ticket/${nonce}`, sort: "used" }
    const mark = newSecret()
    const expiresAt = Math.ceil((expires + TICKET_MS) / 1000)
    if (await records.put(key, { value: { mark } }, { ifAbsent: true, expiresAt, signal })) return true
    return (await records.get(key, { signal }))?.value.mark === mark
  }

  return {
    issue({ tokenId, loginId }: Principal, { purpose, resource }: TicketGrant): { ticket: string; expiresAt: number } {
      const expires = clock.now() + TICKET_MS
      const payload: Payload = { token_id: tokenId, login_id: loginId, purpose, resource, expires, nonce: newSecret() }
      return { ticket: signValue(signingKey, USE, payload), expiresAt: expires }
    },

    /** Returns the caller that this ticket was issued to. Undefined if the ticket isn't valid for this grant. */
    async redeem(
      ticket: string,
      { purpose, resource }: TicketGrant,
      options: { signal?: AbortSignal },
    ): Promise<Principal | undefined> {
      const value = verifyValue(signingKey, USE, ticket)
      const payload = value === undefined ? undefined : Payload.parse(value)
      if (payload?.purpose !== purpose || payload.resource !== resource) return undefined
      if (payload.expires <= clock.now() || !(await consume(payload, options))) return undefined
      const { token_id, login_id: loginId } = payload
      const verified = await verifyTokenId(token_id, options)
      return verified && { ...verified.principal, ...(loginId !== undefined && { loginId }) }
    },
  }
}

const Payload = z.object({
  token_id: z.string(),
  login_id: z.string().optional(),
  purpose: z.string(),
  resource: z.string(),
  /** Time when the ticket expires, in Unix milliseconds. */
  expires: z.number(),
  nonce: z.string(),
})
type Payload = z.infer<typeof Payload>

const TICKET_MS = 60_000
const USE = "ticket"
