import * as z from "zod"
import { type LeftLogin, type LoginAnswer, LoginHome, type LoginRequest } from "../../agents/runner/login-schema.ts"
import { AppError } from "../../errors.ts"
import type { SessionLogDeps } from "../../kernel/session-log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import type { Accounts, StoredLogin } from "./accounts.ts"
import { ownerLoggingIn, ownerWithLogin } from "./run-credentials.ts"

/**
 * Lends accounts' logins to one task at a time, because a program that refreshes its login invalidates all other
 * copies.
 */
export interface RunLogins {
  /**
   * Handles a request from a session's runner. Returns `refused` if the login isn't for its session, or if the runner
   * isn't trusted and doesn't hold the login. The holder may always store a refreshed login, regardless of how its run
   * ended.
   */
  answer(asked: Asked, request: LoginRequest, options: { signal: AbortSignal }): Promise<LoginAnswer>
  /** Yields the logins that runners haven't returned, with the time until which each runner is presumed alive. */
  held(options: { signal: AbortSignal }): AsyncGenerator<{ sid: string; until: number; login: LeftLogin }>
}

interface Asked {
  sid: string
  /** Checks that the caller is the session's runner. */
  isTrusted: () => Promise<boolean>
}

/** Time without renewal after which a holder is presumed dead. Holders renew three times as often. */
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
  /** True if the login was returned, so no copy of it remains in the home directory. */
  is_released: z.boolean(),
  /** Deadline for the session to return a dead runner's login. Set when another session requests the login. */
  waits_until: z.number().optional(),
})
type Lease = z.infer<typeof Lease>

const PARTITION = "held-logins"
const TRIES = 5

export function createRunLogins(
  deps: SessionLogDeps & {
    records: Records
    blobs: Blobs
    index: RunIndex
    accounts: Accounts
    clock: { now(): number }
    /**
     * Makes the session's next runner return what a dead one left. Absent if dead runners' home directories are gone.
     */
    recover?: (sid: string) => void
  },
): RunLogins {
  const { records, accounts, clock } = deps

  async function readLease(id: string, { signal }: { signal: AbortSignal }) {
    const record = await records.get({ partition: PARTITION, sort: id }, { signal })
    return record && { lease: Lease.parse(record.value), version: record.version }
  }

  /** Stores the lease returned by `to`. Returns when another holder's lease ends, if `to` reports one. */
  async function change(
    id: string,
    options: { signal: AbortSignal },
    to: (before: Lease | undefined, now: number) => { lease?: Lease; other?: number },
  ): Promise<number | undefined> {
    for (let tries = 0; tries < TRIES; tries++) {
      const now = clock.now()
      const found = await readLease(id, options)
      const { lease, other } = to(found?.lease, now)
      if (!lease) return other
      // If the login can be recovered, keep its lease until it has been returned.
      const isKept = deps.recover !== undefined && !lease.is_released
      const expiry = isKept ? {} : { expiresAt: Math.ceil(lease.until / 1000) + 86_400 }
      const condition = found ? { ifVersion: found.version } : { ifAbsent: true as const }
      const key = { partition: PARTITION, sort: id }
      const put = await records.put(key, { value: lease }, { ...condition, ...expiry, ...options })
      if (put !== undefined) return other
    }
    throw new AppError("storage_conflict", "Too many concurrent requests for this login. Try again.")
  }

  /** Leases a login. If another session holds it, returns when that lease ends. */
  function take(
    { id, revision }: StoredLogin,
    { sid, owner }: { sid: string; owner: string },
    { run_id, account, holder, home }: Extract<LoginRequest, { act: "take" }>,
    options: { signal: AbortSignal },
  ): Promise<number | undefined> {
    return change(id, options, (before, now) => {
      // A runner that resumes a run takes the lease over from the dead runner.
      const isOurs = before?.sid === sid && (before.holder === holder || before.run_id === run_id)
      if (before && !before.is_released && !isOurs) {
        if (isAhead(before.until, now)) return { other: before.until }
        if (deps.recover && before.sid !== sid) {
          const other = before.waits_until ?? now + LOGIN_LEASE_MS
          deps.recover(before.sid)
          if (isAhead(other, now)) return { other, lease: { ...before, waits_until: other } }
        }
      }
      const until = now + LOGIN_LEASE_MS
      return { lease: { holder, sid, run_id, owner, account, home, revision, until, is_released: false } }
    })
  }

  /** Renews or ends the holder's lease. If another holder has it, returns when that lease ends. */
  function renew(
    revision: string,
    { id, holder, act }: Extract<LoginRequest, { id: string }>,
    options: { signal: AbortSignal },
  ): Promise<number | undefined> {
    return change(id, options, (before, now) => {
      if (before?.holder !== holder) return { other: before?.until ?? now }
      const { waits_until: _, ...lease } = before
      // A renewal that arrives during a release must not reacquire the lease.
      const is_released = before.is_released || act === "release"
      return { lease: { ...lease, revision, until: is_released ? now : now + LOGIN_LEASE_MS, is_released } }
    })
  }

  async function answerTake(
    { sid, isTrusted }: Asked,
    request: Extract<LoginRequest, { act: "take" }>,
    options: { signal: AbortSignal },
  ): Promise<LoginAnswer> {
    const { run_id: runId, account } = request
    const found = (await isTrusted()) ? await ownerWithLogin(deps, { sid, runId, account }, options) : undefined
    if (!found || found.isOver) return { state: "refused" }
    const stored = await accounts.login(found.owner, account, options)
    if (!stored) return { state: "gone" }
    const other = await take(stored, { sid, owner: found.owner }, request, options)
    if (other !== undefined) return busy(other)
    // Read again under the lease, because the previous holder may have just refreshed the login.
    const taken = await accounts.login(found.owner, account, options)
    return taken ? { state: "held", id: taken.id, revision: taken.revision, files: taken.files } : { state: "gone" }
  }

  async function answerHolder(
    { sid, isTrusted }: Asked,
    request: Extract<LoginRequest, { id: string }>,
    options: { signal: AbortSignal },
  ): Promise<LoginAnswer> {
    const { id, run_id: runId, account, holder, refreshed } = request
    const lease = (await readLease(id, options))?.lease
    const isHolder = lease?.holder === holder && lease.sid === sid
    const found = isHolder
      ? lease
      : (await isTrusted())
        ? await ownerWithLogin(deps, { sid, runId, account }, options)
        : undefined
    if (!found) return { state: "refused" }
    // Store the refreshed login even if the lease has a new holder by now: the revision it replaces is no longer valid.
    const stored = refreshed
      ? await accounts.refreshLogin(found.owner, account, refreshed, options)
      : await accounts.login(found.owner, account, options)
    if (stored?.id !== id) {
      if (lease && isHolder && request.act === "release") await renew(lease.revision, request, options)
      return { state: "gone" }
    }
    const other = await renew(stored.revision, request, options)
    if (other !== undefined) return busy(other)
    return { state: "held", id, revision: stored.revision }
  }

  /** Stores a new login in its account. The owner agreed to the notice when requesting the run. */
  async function answerGive(
    { sid, isTrusted }: Asked,
    { run_id: runId, account, files }: Extract<LoginRequest, { act: "give" }>,
    options: { signal: AbortSignal },
  ): Promise<LoginAnswer> {
    const found = (await isTrusted()) ? await ownerLoggingIn(deps, { sid, runId, account }, options) : undefined
    if (!found) return { state: "refused" }
    const { owner, cli: provider } = found
    const login = { files, consent: true }
    const stored = await accounts.credentials(owner, account, options)
    if (stored && stored.provider !== provider) return { state: "refused" }
    if (stored) await accounts.changeLogin(owner, account, login, options)
    else await accounts.create(owner, { name: account, provider, login }, options)
    return { state: "given" }
  }

  return {
    answer(asked, request, options) {
      if (request.act === "give") return answerGive(asked, request, options)
      return request.act === "take" ? answerTake(asked, request, options) : answerHolder(asked, request, options)
    },
    async *held(options) {
      for await (const { key, value } of records.range(PARTITION, options)) {
        const { sid, until, is_released, run_id, account, holder, home, revision } = Lease.parse(value)
        const login = { id: key.sort, run_id, account, holder, home, revision }
        if (!is_released) yield { sid, until, login }
      }
    },
  }
}

/** True if a lease is still valid. If the clock was set back, nobody waits longer than a lease lasts. */
function isAhead(until: number, now: number): boolean {
  return until > now && until <= now + LOGIN_LEASE_MS
}

function busy(until: number): LoginAnswer {
  return { state: "busy", until: new Date(until).toISOString() }
}
