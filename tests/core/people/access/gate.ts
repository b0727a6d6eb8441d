import { AppError } from "@switchyard/core/errors"
import { createNewId } from "@switchyard/core/ids"
import { createLogins } from "@switchyard/core/people/access/logins"
import { createRateLimiter } from "@switchyard/core/people/access/rate-limit"
import type { NewToken, Principal } from "@switchyard/core/people/access/schema"
import { createTickets } from "@switchyard/core/people/access/tickets"
import { createTokens } from "@switchyard/core/people/access/tokens"
import type { Records } from "@switchyard/core/storage/records"
import { openStores, type Stores } from "../../../fixtures/stores.ts"
import { createManualClock } from "../../log/store.ts"

export const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"
export const root: Principal = { owner: "admin", scopes: ["read", "run", "admin"], tokenId: "admin" }
export const DAY_MS = 86_400_000
export const options = {}

/** Opens tokens, logins and tickets on their own store, with a clock that stands still. */
export async function openGate(around: (records: Records) => Records = (records) => records) {
  const stores: Stores = await openStores()
  const records = around(stores.records)
  const reported: unknown[] = []
  const report = (error: unknown) => reported.push(error)
  // Far ahead of the system clock, by which the store removes expired records.
  const { clock, pass } = createManualClock({ start: 4_000_000_000_000 })
  const withAdmin = (adminToken?: string) => {
    const tokens = createTokens({ records, clock, newId: createNewId(clock.now), adminToken, report })
    return { tokens, logins: createLogins({ records, clock, tokens, report }) }
  }
  const { tokens, logins } = withAdmin(ADMIN_TOKEN)
  const ticketsUnder = (fill: number) =>
    createTickets({ records, clock, signingKey: new Uint8Array(32).fill(fill), verifyTokenId: tokens.verifyId })
  return {
    ...stores,
    clock,
    pass,
    reported,
    tokens,
    logins,
    withAdmin,
    ticketsUnder,
    tickets: ticketsUnder(1),
    take: createRateLimiter({ records, clock }).take,
    /** Creates a token for ada with the scopes read and run, unless `request` overrides them. */
    make: (request: Partial<NewToken> = {}) =>
      tokens.create(root, { name: "laptop", owner: "ada", scopes: ["read", "run"], ...request }, options),
  }
}

export type Gate = Awaited<ReturnType<typeof openGate>>

/** Wraps records so that writes fail after `tire` is called. */
export function tiring() {
  let tired = false
  return {
    tire: () => {
      tired = true
    },
    around: (records: Records): Records => ({
      ...records,
      async put(...args) {
        if (tired) throw new AppError("storage_unavailable", "Not now.")
        return records.put(...args)
      },
    }),
  }
}
