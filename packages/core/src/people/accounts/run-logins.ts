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
 * Hands the log-ins of accounts to the tasks that work with them, one at a time: a program that renews its log-in makes every other
 * copy of it worthless.
 */
export interface RunLogins {
  /**
   * Does what the runner of a session asks for. `refused` for what isn't its own, and for whom it doesn't trust, unless that is the
   * holder of the log-in: what a program has renewed is stored, however its run came to its end.
   */
  answer(asked: Asked, request: LoginRequest, options: { signal: AbortSignal }): Promise<LoginAnswer>
  /** The log-ins that runners took and haven't given back, with the time until which these are presumed alive. */
  held(options: { signal: AbortSignal }): AsyncGenerator<{ sid: string; until: number; login: LeftLogin }>
}

interface Asked {
  sid: string
  /** Whether this is the session's runner. */
  isTrusted: () => Promise<boolean>
}

/** The time after which a holder that says nothing is presumed dead. It is heard from three times as often. */
const LOGIN_LEASE_MS = 60_000

const Lease = z.object({
  holder: z.string(),
  sid: z.string(),
  run_id: z.string(),
  owner: z.string(),
  /** The account's name. */
  account: z.string(),
  home: LoginHome,
  /** The revision that was stored last. */
  revision: z.string(),
  until: z.number(),
  /** Whether it was given back: nothing of it is left in the home. */
  is_released: z.boolean(),
  /** The time until which its session may give back what a dead runner left; set when another first asks for it. */
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
    /** Has a session's next runner give back what the dead one left; absent where the homes of dead runners are gone. */
    recover?: (sid: string) => void
  },
): RunLogins {
  const { records, accounts, clock } = deps

  async function readLease(id: string, { signal }: { signal: AbortSignal }) {
    const record = await records.get({ partition: PARTITION, sort: id }, { signal })
    return record && { lease: Lease.parse(record.value), version: record.version }
  }

  /** Stores what `to` makes of the lease, and resolves to the time until which another has it, if `to` says so. */
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
      // One that wasn't given back is remembered until it is, where it can be.
      const isKept = deps.recover !== undefined && !lease.is_released
      const expiry = isKept ? {} : { expiresAt: Math.ceil(lease.until / 1000) + 86_400 }
      const condition = found ? { ifVersion: found.version } : { ifAbsent: true as const }
      const key = { partition: PARTITION, sort: id }
      const put = await records.put(key, { value: lease }, { ...condition, ...expiry, ...options })
      if (put !== undefined) return other
    }
    throw new AppError("storage_conflict", "The log-in is asked for by too many at once.")
  }

  /** Leases a log-in, unless another has it until the time to which this resolves. */
  function take(
    { id, revision }: StoredLogin,
    { sid, owner }: { sid: string; owner: string },
    { run_id, account, holder, home }: Extract<LoginRequest, { act: "take" }>,
    options: { signal: AbortSignal },
  ): Promise<number | undefined> {
    return change(id, options, (before, now) => {
      // A runner that goes on with a run takes over from the one that died.
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

  /** Renews the lease of its holder, or ends it, unless another has it until the time to which this resolves. */
  function renew(
    revision: string,
    { id, holder, act }: Extract<LoginRequest, { id: string }>,
    options: { signal: AbortSignal },
  ): Promise<number | undefined> {
    return change(id, options, (before, now) => {
      if (before?.holder !== holder) return { other: before?.until ?? now }
      const { waits_until: _, ...lease } = before
      // One that is on its way while it is given back doesn't take it again.
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
    // Read again once it is held: its last holder may have renewed it just before.
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
    // The lease may be another's by now: what was renewed is all that is still good of the revision that it was.
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

  /** Gives an account the log-in that was made for it; its owner agreed to the notice when the run was asked for. */
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

/** Whether a lease lasts until then. A clock that was set back makes nobody wait for longer than a lease lasts. */
function isAhead(until: number, now: number): boolean {
  return until > now && until <= now + LOGIN_LEASE_MS
}

function busy(until: number): LoginAnswer {
  return { state: "busy", until: new Date(until).toISOString() }
}
