import { createHmac } from "node:crypto"
import * as z from "zod"
import type { Records, StoredRecord } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"
import type { Principal } from "./schema.ts"
import { hashOf, newSecret } from "./secrets.ts"
import type { Standing, Tokens } from "./tokens.ts"

/** A browser that has shown a token once. It ends with its token, or when nobody has used it for a week. */
export interface Login {
  principal: Principal
  /**
   * What a page of ours sends along with whatever changes something. It is made from the login's secret, so whoever can
   * set a cookie but not read ours can't make one that fits.
   */
  csrfToken: string
}

export interface Logins {
  /** `secret` is for the browser's cookie; the store keeps a hash of it. Undefined if the token is nobody's. */
  open(token: string, options: { signal?: AbortSignal }): Promise<(Login & { secret: string }) | undefined>
  /** Whose login this is, if it stands; being asked keeps it for another week. */
  find(secret: string, options: { signal?: AbortSignal }): Promise<Login | undefined>
  close(secret: string, options: { signal?: AbortSignal }): Promise<void>
}

/** A login ends after so long, however it is used. */
export const LOGIN_MAX_MS = 30 * 86_400_000

interface LoginsDeps {
  records: Records
  clock: Clock
  tokens: Tokens
  report: (error: unknown) => void
}

export function createLogins({ records, clock, tokens, report }: LoginsDeps): Logins {
  const put = (secret: string, kept: Kept, condition: { ifVersion?: number; signal?: AbortSignal }) =>
    records.put(keyOf(secret), { value: kept }, { expiresAt: Math.ceil(endOf(kept) / 1000), ...condition })

  /** Once an hour, and a hint: whoever fails to write it is let in all the same. */
  async function noteUse(secret: string, { kept, version }: Found, signal?: AbortSignal): Promise<void> {
    const now = clock.now()
    if (now - kept.used_at < USE_GRAIN_MS) return
    await put(secret, { ...kept, used_at: now }, { ifVersion: version, signal }).catch(report)
  }

  return {
    async open(token, options) {
      const standing = await tokens.verify(token, options)
      if (!standing) return undefined
      const secret = newSecret()
      const now = clock.now()
      const { principal, hash } = standing
      await put(secret, { token_id: principal.tokenId, token_hash: hash, opened_at: now, used_at: now }, options)
      return { ...loginOf(secret, standing), secret }
    },

    async find(secret, options) {
      // The hash of what was sent is the name of the record, so there is nothing to compare.
      const record = await records.get(keyOf(secret), options)
      const found = record && foundIn(record)
      if (!found || endOf(found.kept) <= clock.now()) return undefined
      const standing = await tokens.standing(found.kept.token_id, options)
      if (standing?.hash !== found.kept.token_hash) return undefined
      await noteUse(secret, found, options.signal)
      return loginOf(secret, standing)
    },

    async close(secret, options) {
      await records.remove(keyOf(secret), options)
    },
  }
}

const Kept = z.object({ token_id: z.string(), token_hash: z.string(), opened_at: z.number(), used_at: z.number() })
type Kept = z.infer<typeof Kept>

interface Found {
  kept: Kept
  version: number
}

const IDLE_MS = 7 * 86_400_000
const USE_GRAIN_MS = 3_600_000

function keyOf(secret: string) {
  return { partition: `login/${hashOf(secret)}`, sort: "login" }
}

function foundIn({ value, version }: StoredRecord): Found {
  return { kept: Kept.parse(value), version }
}

function endOf({ opened_at, used_at }: Kept): number {
  return Math.min(opened_at + LOGIN_MAX_MS, used_at + IDLE_MS)
}

function loginOf(secret: string, { principal }: Standing): Login {
  return { principal, csrfToken: createHmac("sha256", secret).update("csrf").digest("base64url") }
}
