import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { NewId } from "../../ids.ts"
import type { Records, StoredRecord } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"
import { type CreatedToken, type NewToken, type Principal, Scope, type Token } from "./schema.ts"
import { hasHash, hashOf, newSecret } from "./secrets.ts"

export type Tokens = ReturnType<typeof createTokens>

export interface VerifiedToken {
  principal: Principal
  /** Hash of the token's secret. Grants are compared with this hash, so that they end when the secret is replaced. */
  hash: string
}

interface TokensDeps {
  records: Records
  clock: Clock
  newId: NewId
  /** Secret of the admin who creates the first tokens, if there is one. */
  adminToken?: string
  report: (error: unknown) => void
}

/** Tokens for people and pipelines. A token consists of `sy_`, its ID in the store, and a secret. */
export function createTokens({ records, clock, newId, adminToken, report }: TokensDeps) {
  const admin = adminToken === undefined ? undefined : verifiedAdmin(adminToken)

  async function find(tokenId: string, options: { signal?: AbortSignal }): Promise<TokenRecord | undefined> {
    const record = await records.get(keyOf(tokenId), options)
    return record && decodeRecord(record)
  }

  /** Records the last use, at most once a minute. If the write fails, the caller isn't rejected. */
  async function recordUse(
    { tokenId, stored, version }: TokenRecord,
    { signal }: { signal?: AbortSignal },
  ): Promise<void> {
    const now = clock.now()
    if (stored.last_used_at !== null && now - stored.last_used_at < LAST_USE_RESOLUTION_MS) return
    const put = { ifVersion: version, expiresAt: recordExpiry(stored), signal }
    await records.put(keyOf(tokenId), { value: { ...stored, last_used_at: now } }, put).catch(report)
  }

  async function ifValid(
    found: TokenRecord | undefined,
    options: { signal?: AbortSignal },
  ): Promise<VerifiedToken | undefined> {
    if (!found || (found.stored.expires_at ?? Number.POSITIVE_INFINITY) <= clock.now()) return undefined
    await recordUse(found, options)
    const { owner, scopes, hash } = found.stored
    return { principal: { owner, scopes, tokenId: found.tokenId }, hash }
  }

  return {
    /**
     * Creates a token. Callers send its `secret`, which is only returned here, because only its hash is stored. Throws
     * `forbidden` if the owner is reserved for this machine and isn't the caller.
     */
    async create(
      by: Principal,
      { name, owner, scopes, expires_in_days }: NewToken,
      { signal }: { signal?: AbortSignal },
    ): Promise<CreatedToken> {
      checkOwner(by, owner ?? by.owner)
      const tokenId = newId("tok")
      const secret = `sy_${tokenId.slice("tok_".length)}_${newSecret()}`
      const now = clock.now()
      const stored: StoredToken = {
        hash: hashOf(secret),
        name,
        owner: owner ?? by.owner,
        scopes: Scope.options.filter((scope) => scopes.includes(scope)),
        created_at: now,
        created_by: by.owner,
        expires_at: expires_in_days ? now + expires_in_days * DAY_MS : null,
        last_used_at: null,
      }
      await records.put(keyOf(tokenId), { value: stored }, { expiresAt: recordExpiry(stored), signal })
      return { ...toToken({ tokenId, stored }), secret }
    },

    /** Returns the token with this secret. Undefined if it is unknown, malformed, expired or revoked. */
    async verify(secret: string, options: { signal?: AbortSignal }): Promise<VerifiedToken | undefined> {
      if (admin && hasHash(secret, admin.hash)) return admin
      const id = TOKEN_PATTERN.exec(secret)?.[1]
      const found = id === undefined ? undefined : await find(`tok_${id}`, options)
      return found && hasHash(secret, found.stored.hash) ? ifValid(found, options) : undefined
    },

    /**
     * Returns the token with this ID if it is still valid. Used to check grants that were issued in exchange for the
     * token.
     */
    async verifyId(tokenId: string, options: { signal?: AbortSignal }): Promise<VerifiedToken | undefined> {
      if (tokenId === ADMIN_ID) return admin
      return ifValid(await find(tokenId, options), options)
    },

    /** Lists the caller's tokens, oldest first. Lists all tokens if the caller is an admin. */
    async *list(by: Principal, options: { signal?: AbortSignal }): AsyncGenerator<Token> {
      for await (const record of records.range(PARTITION, options)) {
        const found = decodeRecord(record)
        if (mayManage(by, found)) yield toToken(found)
      }
    },

    /**
     * Revokes one of the caller's tokens, or any token if the caller is an admin. Throws `not_found` if the token
     * doesn't exist or belongs to another owner. Throws `forbidden` if the token has more permissions than the caller.
     * Otherwise, an owner's weakest token could be used to lock the owner out.
     */
    async revoke(by: Principal, tokenId: string, options: { signal?: AbortSignal }): Promise<void> {
      const found = await find(tokenId, options)
      if (!found || !mayManage(by, found)) throw new AppError("not_found", "There is no token with this id.")
      checkScopes(by, found.stored.scopes)
      // Remove the token unconditionally. A concurrent write of its last use can't restore it, because that write
      // requires the token's previous version.
      await records.remove(keyOf(tokenId), options)
    },
  }
}

const StoredToken = z.object({
  hash: z.string(),
  name: z.string(),
  owner: z.string(),
  scopes: z.array(Scope),
  created_at: z.number(),
  created_by: z.string().nullable().default(null),
  expires_at: z.number().nullable(),
  last_used_at: z.number().nullable(),
})
type StoredToken = z.infer<typeof StoredToken>

interface TokenRecord {
  tokenId: string
  stored: StoredToken
  version: number
}

const ADMIN_ID = "admin"
const DAY_MS = 86_400_000
const LAST_USE_RESOLUTION_MS = 60_000
/** Time that an expired token remains in the list, so that its owner can see why it stopped working. */
const LISTED_AFTER_EXPIRY_MS = 30 * DAY_MS
const TOKEN_PATTERN = /^sy_([0-9a-z]{26})_[0-9a-f]{40}$/

/**
 * All tokens are in one partition, so that lists are consistent. There are only dozens of tokens in an installation.
 */
const PARTITION = "tokens"

function keyOf(tokenId: string) {
  return { partition: PARTITION, sort: tokenId }
}

function recordExpiry({ expires_at }: StoredToken): number | undefined {
  return expires_at === null ? undefined : Math.ceil((expires_at + LISTED_AFTER_EXPIRY_MS) / 1000)
}

function decodeRecord({ key, value, version }: StoredRecord): TokenRecord {
  return { tokenId: key.sort, stored: StoredToken.parse(value), version }
}

function verifiedAdmin(token: string): VerifiedToken {
  const principal = { owner: "admin", scopes: Scope.options, tokenId: ADMIN_ID }
  return { principal, hash: hashOf(token) }
}

function mayManage({ owner, scopes }: Principal, { stored }: TokenRecord): boolean {
  return stored.owner === owner || scopes.includes("admin")
}

/** Reserved owners. Their data was created without logging in, or by someone with access to the machine. */
const MACHINE_OWNERS = ["admin", "local"]

/** True if the owner is the person who runs the server: without login, with the admin token or as this machine's user. */
export function isMachineOwner(owner: string): boolean {
  return MACHINE_OWNERS.includes(owner)
}

/** Throws if the token is for a reserved owner and its creator isn't a reserved owner. */
function checkOwner(by: Principal, owner: string): void {
  if (owner === by.owner || !isMachineOwner(owner) || isMachineOwner(by.owner)) return
  throw new AppError("forbidden", `Only the admin token or a token of \`local\` can create tokens for \`${owner}\`.`, {
    owner,
  })
}

function checkScopes(by: Principal, scopes: Scope[]): void {
  const missing = scopes.filter((scope) => !by.scopes.includes(scope))
  if (missing.length === 0 || by.scopes.includes("admin")) return
  throw new AppError("forbidden", "A token can only revoke tokens that have no scopes beyond its own.", {
    scopes: missing,
  })
}

function toToken({ tokenId, stored }: Pick<TokenRecord, "tokenId" | "stored">): Token {
  const { name, owner, scopes } = stored
  return {
    id: tokenId,
    name,
    owner,
    scopes,
    created_at: new Date(stored.created_at).toISOString(),
    created_by: stored.created_by,
    expires_at: timeOf(stored.expires_at),
    last_used_at: timeOf(stored.last_used_at),
  }
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
