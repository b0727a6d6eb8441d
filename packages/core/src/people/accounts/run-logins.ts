import * as z from "zod"
import type { LoginAnswer, LoginRequest } from "../../agents/runner/login-schema.ts"
import { AppError } from "../../errors.ts"
import type { SessionLogDeps } from "../../kernel/session-log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import type { Accounts, StoredLogin } from "./accounts.ts"
import { ownerWithLogin } from "./run-credentials.ts"

/**
 * Hands the log-ins of accounts to the tasks that work with them, one at a time: a program that renews its log-in makes every other
 * copy of it worthless.
 */
export interface RunLogins {
  /** Does what the runner of a session asks for; `gone` for what isn't its own. */
  answer(sid: string, request: LoginRequest, options: { signal: AbortSignal }): Promise<LoginAnswer>
}

/** The time after which a holder that says nothing is presumed dead. It is heard from three times as often. */
const LOGIN_LEASE_MS = 60_000

const Lease = z.object({ holder: z.string(), run_id: z.string(), until: z.number() })
const PARTITION = "login-leases"
const TRIES = 5

export function createRunLogins(
  deps: SessionLogDeps & {
    records: Records
    blobs: Blobs
    index: RunIndex
    accounts: Accounts
    clock: { now(): number }
  },
): RunLogins {
  const { records, accounts, clock } = deps

  /** Leases the log-in to the holder, until then or for as long as usual; resolves to who has it instead. */
  async function lease(
    accountId: string,
    { run_id, holder, act }: LoginRequest,
    { signal }: { signal: AbortSignal },
  ): Promise<z.infer<typeof Lease> | undefined> {
    const key = { partition: PARTITION, sort: accountId }
    for (let tries = 0; tries < TRIES; tries++) {
      const now = clock.now()
      const record = await records.get(key, { signal })
      const before = record && Lease.parse(record.value)
      // A clock that was set back, too, makes nobody wait for longer than a lease lasts.
      const isLive = before && before.until > now && before.until <= now + LOGIN_LEASE_MS
      // A runner that goes on with a run takes over from the one that died.
      const isOurs = before?.holder === holder || (act === "take" && before?.run_id === run_id)
      if (isLive && !isOurs) return before
      const until = act === "release" ? now : now + LOGIN_LEASE_MS
      const expiresAt = Math.ceil(until / 1000) + 86_400
      const condition = record ? { ifVersion: record.version } : { ifAbsent: true as const }
      const put = await records.put(key, { value: { holder, run_id, until } }, { ...condition, expiresAt, signal })
      if (put !== undefined) return undefined
    }
    throw new AppError("storage_conflict", "The log-in is asked for by too many at once.")
  }

  return {
    async answer(sid, request, options) {
      const { run_id: runId, account, act } = request
      const found = await ownerWithLogin(deps, { sid, runId, account }, options)
      // A log-in that a program has renewed is stored, however its run came to its end.
      if (!found || (found.isOver && act === "take")) return { state: "gone" }
      const { owner } = found
      const refreshed = act === "take" ? undefined : request.refreshed
      // The lease may be another's by now: what was renewed is all that is still good of the revision that it was.
      const stored = refreshed
        ? await accounts.refreshLogin(owner, account, refreshed, options)
        : await accounts.login(owner, account, options)
      if (!stored) return { state: "gone" }
      const other = await lease(stored.id, request, options)
      if (other) return { state: "busy", until: new Date(other.until).toISOString() }
      return act === "take" ? taken(await accounts.login(owner, account, options)) : held(stored)
    },
  }
}

/** Read once the lease is held: its last holder may have renewed it just before. */
function taken(stored: StoredLogin | undefined): LoginAnswer {
  return stored ? { ...held(stored), files: stored.files } : { state: "gone" }
}

function held({ revision }: StoredLogin) {
  return { state: "held" as const, revision }
}
