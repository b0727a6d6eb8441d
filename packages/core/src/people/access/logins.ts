import { createHmac } from "node:crypto"
import * as z from "zod"
import type { Records, StoredRecord } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"
import type { Principal } from "./schema.ts"
import { hashOf, newSecret } from "./secrets.ts"
import type { Tokens, VerifiedToken } from "./tokens.ts"

/** A browser login, issued in exchange for a token. It ends when the token ends, or after a week without use. */
export interface Login {
  principal: Principal
  /**
   * Token that the studio sends with every change. It is derived from the login's secret. A site that can set our
   * cookie but can't read it therefore can't produce a matching token.
   */
  csrfToken: string
}

/** Maximum age of a login, however recently it was used. */
export const LOGIN_MAX_MS = 30 * 86_400_000

interface LoginsDeps {
  records: Records
  clock: Clock
  tokens: Tokens
  report: (error: unknown) => void
}

export function createLogins({ records, clock, tokens, report }: LoginsDeps) {
  const put = (secret: string, login: StoredLogin, condition: { ifVersion?: number; signal?: AbortSignal }) =>
    records.put(keyOf(hashOf(secret)), { value: login }, { expiresAt: Math.ceil(expiryOf(login) / 1000), ...condition })

  /** Records the last use, at most once an hour. If the write fails, the login remains valid. */
  async function recordUse(secret: string, { stored, version }: LoginRecord, signal?: AbortSignal): Promise<void> {
    const now = clock.now()
    if (now - stored.used_at < USE_RESOLUTION_MS) return
    await put(secret, { ...stored, used_at: now }, { ifVersion: version, signal }).catch(report)
  }

  /**
   * Returns the login with this ID and its token, if both are valid. No secret has to be compared, because the ID is
   * the hash of the secret.
   */
  async function findValid(loginId: string, options: { signal?: AbortSignal }) {
    const record = await records.get(keyOf(loginId), options)
    const found = record && decodeRecord(record)
    if (!found || expiryOf(found.stored) <= clock.now()) return undefined
    const verified = await tokens.verifyId(found.stored.token_id, options)
    return verified?.hash === found.stored.token_hash ? { found, verified } : undefined
  }

  return {
    /**
     * Opens a login. `secret` goes into the browser's cookie; only its hash is stored. Returns undefined if the token
     * isn't valid.
     */
    async open(token: string, options: { signal?: AbortSignal }): Promise<(Login & { secret: string }) | undefined> {
      const verified = await tokens.verify(token, options)
      if (!verified) return undefined
      const secret = newSecret()
      const now = clock.now()
      const { principal, hash } = verified
      await put(secret, { token_id: principal.tokenId, token_hash: hash, opened_at: now, used_at: now }, options)
      return { ...loginOf(secret, verified), secret }
    },

    /** Returns the valid login with this secret, and extends it by another week. */
    async find(secret: string, options: { signal?: AbortSignal }): Promise<Login | undefined> {
      const valid = await findValid(hashOf(secret), options)
      if (!valid) return undefined
      await recordUse(secret, valid.found, options.signal)
      return loginOf(secret, valid.verified)
    },

    /** Returns true if this login is still valid, without extending it. */
    isOpen: async (loginId: string, options: { signal?: AbortSignal }): Promise<boolean> =>
      (await findValid(loginId, options)) !== undefined,

    async close(secret: string, options: { signal?: AbortSignal }): Promise<void> {
      await records.remove(keyOf(hashOf(secret)), options)
    },
  }
}

const StoredLogin = z.object({
  token_id: z.string(),
  token_hash: z.string(),
  opened_at: z.number(),
  used_at: z.number(),
})
type StoredLogin = z.infer<typeof StoredLogin>

interface LoginRecord {
  stored: StoredLogin
  version: number
}

const IDLE_MS = 7 * 86_400_000
const USE_RESOLUTION_MS = 3_600_000

function keyOf(loginId: string) {
  return { partition: `login/${loginId}`, sort: "login" }
}

function decodeRecord({ value, version }: StoredRecord): LoginRecord {
  return { stored: StoredLogin.parse(value), version }
}

function expiryOf({ opened_at, used_at }: StoredLogin): number {
  return Math.min(opened_at + LOGIN_MAX_MS, used_at + IDLE_MS)
}

function loginOf(secret: string, { principal }: VerifiedToken): Login {
  return {
    principal: { ...principal, loginId: hashOf(secret) },
    csrfToken: createHmac("sha256", secret).update("csrf").digest("base64url"),
  }
}
