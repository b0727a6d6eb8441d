import { createHmac } from "node:crypto"
import * as z from "zod"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"
import type { Principal } from "./schema.ts"
import { isSame, newSecret } from "./secrets.ts"
import type { Standing } from "./tokens.ts"

/** The grant of a ticket: one use of one thing of its owner's. */
export interface Admission {
  purpose: string
  resource: string
}

/**
 * Stand in for a token where a browser can send no header. A ticket is good for a minute, for what it was issued for, and
 * once; it ends with the token of whoever asked for it.
 */
export interface Tickets {
  issue(principal: Principal, admission: Admission): { ticket: string; expiresAt: number }
  /** The owner of this ticket. Undefined if it is not, or no longer, one for this. */
  redeem(ticket: string, admission: Admission, options: { signal?: AbortSignal }): Promise<Principal | undefined>
}

interface TicketsDeps {
  records: Records
  clock: Clock
  signingKey: Uint8Array
  standing: (tokenId: string, options: { signal?: AbortSignal }) => Promise<Standing | undefined>
}

export function createTickets({ records, clock, signingKey, standing }: TicketsDeps): Tickets {
  const signed = (text: string) =>
    `${text}.${createHmac("sha256", signingKey).update(`ticket ${text}`).digest("base64url")}`

  function read(ticket: string): Payload | undefined {
    const [text = ""] = ticket.split(".")
    if (!isSame(ticket, signed(text))) return undefined
    return Payload.parse(JSON.parse(Buffer.from(text, "base64url").toString()))
  }

  /** True once for each nonce. A mark of ours tells a lost reply from a lost race. */
  async function use({ nonce, expires }: Payload, { signal }: { signal?: AbortSignal }): Promise<boolean> {
    const key = { partition: `ticket/${nonce}`, sort: "used" }
    const mark = newSecret()
    const expiresAt = Math.ceil((expires + TICKET_MS) / 1000)
    if (await records.put(key, { value: { mark } }, { ifAbsent: true, expiresAt, signal })) return true
    return (await records.get(key, { signal }))?.value.mark === mark
  }

  return {
    issue({ tokenId }, { purpose, resource }) {
      const expires = clock.now() + TICKET_MS
      const payload: Payload = { token_id: tokenId, purpose, resource, expires, nonce: newSecret() }
      return { ticket: signed(Buffer.from(JSON.stringify(payload)).toString("base64url")), expiresAt: expires }
    },

    async redeem(ticket, { purpose, resource }, options) {
      const payload = read(ticket)
      if (payload?.purpose !== purpose || payload.resource !== resource) return undefined
      if (payload.expires <= clock.now() || !(await use(payload, options))) return undefined
      return (await standing(payload.token_id, options))?.principal
    },
  }
}

const Payload = z.object({
  token_id: z.string(),
  purpose: z.string(),
  resource: z.string(),
  /** Unix milliseconds. */
  expires: z.number(),
  nonce: z.string(),
})
type Payload = z.infer<typeof Payload>

const TICKET_MS = 60_000
