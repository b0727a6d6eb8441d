import * as z from "zod"
import { LoginHome, type LoginRequest } from "../../agents/runner/login-schema.ts"
import { AppError } from "../../errors.ts"
import type { Records } from "../../storage/records.ts"
import type { StoredLogin } from "./accounts.ts"

/** A holder that hasn't renewed its lease for this long is presumed dead. Holders renew at a third of this interval. */
const LOGIN_LEASE_MS = 60_000

const Lease = z.object({
  holder: z.string(),
  sid: z.string(),
  run_id: z.string(),
  owner: z.string(),
  account: z.string(),
  home: LoginHome,
  /** Revision of the login when it was last stored. */
  revision: z.string(),
  until: z.number(),
  /** True if the login was returned. The runner's home directory then no longer contains a copy. */
  is_released: z.boolean(),
  /** Deadline for returning a dead runner's login to the store. Set when another session requests the login. */
  waits_until: z.number().optional(),
})
type Lease = z.infer<typeof Lease>

const PARTITION = "held-logins"
const TRIES = 5

/** Leases of logins, by the ID of the stored login. Each login has at most one holder. */
export interface LoginLeases {
  read(id: string, options: { signal: AbortSignal }): Promise<Lease | undefined>
  /** Leases a login. If another session holds the login, returns the time when that lease ends. */
  take(
    login: StoredLogin,
    taker: { sid: string; owner: string },
    request: Extract<LoginRequest, { act: "take" }>,
    options: { signal: AbortSignal },
  ): Promise<number | undefined>
  /** Renews or ends the holder's lease. If another holder has the login, returns the time when that lease ends. */
  renew(
    revision: string,
    request: Extract<LoginRequest, { id: string }>,
    options: { signal: AbortSignal },
  ): Promise<number | undefined>
  /** Yields the leases whose logins haven't been returned. */
  held(options: { signal: AbortSignal }): AsyncGenerator<{ id: string; lease: Lease }>
}

export interface LoginLeasesDeps {
  records: Records
  clock: { now(): number }
  /**
   * Makes the session's next runner return the login that a dead runner left behind. Undefined if the home directories
   * of dead runners no longer exist, so that nothing is left behind.
   */
  recover?: (sid: string) => void
}

export function createLoginLeases({ records, clock, recover }: LoginLeasesDeps): LoginLeases {
  async function find(id: string, { signal }: { signal: AbortSignal }) {
    const record = await records.get({ partition: PARTITION, sort: id }, { signal })
    return record && { lease: Lease.parse(record.value), version: record.version }
  }

  /**
   * Stores the lease that `to` returns. If `to` reports that another holder has a lease, returns the time when that
   * lease ends.
   */
  async function change(
    id: string,
    options: { signal: AbortSignal },
    to: (before: Lease | undefined, now: number) => { lease?: Lease; other?: number },
  ): Promise<number | undefined> {
    for (let tries = 0; tries < TRIES; tries++) {
      const now = clock.now()
      const found = await find(id, options)
      const { lease, other } = to(found?.lease, now)
      if (!lease) return other
      // If the login can be recovered, keep its lease until the login is returned.
      const isKept = recover !== undefined && !lease.is_released
      const expiry = isKept ? {} : { expiresAt: Math.ceil(lease.until / 1000) + 86_400 }
      const condition = found ? { ifVersion: found.version } : { ifAbsent: true as const }
      const key = { partition: PARTITION, sort: id }
      const put = await records.put(key, { value: lease }, { ...condition, ...expiry, ...options })
      if (put !== undefined) return other
    }
    throw new AppError("storage_conflict", "Too many concurrent requests for this login. Try again.")
  }

  return {
    async read(id, options) {
      return (await find(id, options))?.lease
    },
    take({ id, revision }, { sid, owner }, { run_id, account, holder, home }, options) {
      return change(id, options, (before, now) => {
        // A runner that resumes a run takes over the dead runner's lease.
        const isOurs = before?.sid === sid && (before.holder === holder || before.run_id === run_id)
        if (before && !before.is_released && !isOurs) {
          if (isAhead(before.until, now)) return { other: before.until }
          if (recover && before.sid !== sid) {
            const other = before.waits_until ?? now + LOGIN_LEASE_MS
            recover(before.sid)
            if (isAhead(other, now)) return { other, lease: { ...before, waits_until: other } }
          }
        }
        const until = now + LOGIN_LEASE_MS
        return { lease: { holder, sid, run_id, owner, account, home, revision, until, is_released: false } }
      })
    },
    renew(revision, { id, holder, act }, options) {
      return change(id, options, (before, now) => {
        if (before?.holder !== holder) return { other: before?.until ?? now }
        const { waits_until: _, ...lease } = before
        // A renewal that arrives during a release must not reacquire the lease.
        const is_released = before.is_released || act === "release"
        return { lease: { ...lease, revision, until: is_released ? now : now + LOGIN_LEASE_MS, is_released } }
      })
    },
    async *held(options) {
      for await (const { key, value } of records.range(PARTITION, options)) {
        const lease = Lease.parse(value)
        if (!lease.is_released) yield { id: key.sort, lease }
      }
    },
  }
}

/** True if a lease is still valid. A lease never lasts longer than a new one would, even if the clock was set back. */
function isAhead(until: number, now: number): boolean {
  return until > now && until <= now + LOGIN_LEASE_MS
}
