import type { LeftLogin, LoginAnswer, LoginRequest } from "../../agents/runner/login-schema.ts"
import type { SessionLogDeps } from "../../kernel/session-log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import type { Accounts } from "./accounts.ts"
import { createLoginLeases, type LoginLeasesDeps } from "./login-leases.ts"
import { ownerLoggingIn, ownerWithLogin } from "./run-credentials.ts"

/**
 * Lends an account's login to one task at a time. When a program refreshes its login, all other copies become invalid.
 */
export interface RunLogins {
  /**
   * Handles a request from a session's runner. Returns `refused` if the login isn't for this session. Also returns
   * `refused` if the runner isn't trusted and doesn't hold the login. The holder may always store a refreshed login,
   * however its run ended.
   */
  answer(asked: Asked, request: LoginRequest, options: { signal: AbortSignal }): Promise<LoginAnswer>
  /**
   * Yields the logins that runners haven't returned. The runner of each login is presumed alive until the given time.
   */
  held(options: { signal: AbortSignal }): AsyncGenerator<{ sid: string; until: number; login: LeftLogin }>
}

interface Asked {
  sid: string
  /** Returns true if the caller is the session's runner. */
  isTrusted: () => Promise<boolean>
}

export function createRunLogins(
  deps: SessionLogDeps & LoginLeasesDeps & { blobs: Blobs; index: RunIndex; accounts: Accounts },
): RunLogins {
  const { accounts } = deps
  const leases = createLoginLeases(deps)

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
    const other = await leases.take(stored, { sid, owner: found.owner }, request, options)
    if (other !== undefined) return busy(other)
    // Read the login again now that the lease is acquired, because the previous holder may have just refreshed it.
    const taken = await accounts.login(found.owner, account, options)
    return taken ? { state: "held", id: taken.id, revision: taken.revision, files: taken.files } : { state: "gone" }
  }

  async function answerHolder(
    { sid, isTrusted }: Asked,
    request: Extract<LoginRequest, { id: string }>,
    options: { signal: AbortSignal },
  ): Promise<LoginAnswer> {
    const { id, run_id: runId, account, holder, refreshed } = request
    const lease = await leases.read(id, options)
    const isHolder = lease?.holder === holder && lease.sid === sid
    const found = isHolder
      ? lease
      : (await isTrusted())
        ? await ownerWithLogin(deps, { sid, runId, account }, options)
        : undefined
    if (!found) return { state: "refused" }
    // Store the refreshed login even if the lease now has another holder, because the previous revision is no longer
    // valid.
    const stored = refreshed
      ? await accounts.refreshLogin(found.owner, account, refreshed, options)
      : await accounts.login(found.owner, account, options)
    if (stored?.id !== id) {
      if (lease && isHolder && request.act === "release") await leases.renew(lease.revision, request, options)
      return { state: "gone" }
    }
    const other = await leases.renew(stored.revision, request, options)
    if (other !== undefined) return busy(other)
    return { state: "held", id, revision: stored.revision }
  }

  /**
   * Stores a new login in its account. Doesn't ask for consent, because the owner agreed to the notice when requesting
   * the run.
   */
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
      for await (const { id, lease } of leases.held(options)) {
        const { sid, until, run_id, account, holder, home, revision } = lease
        yield { sid, until, login: { id, run_id, account, holder, home, revision } }
      }
    },
  }
}

function busy(until: number): LoginAnswer {
  return { state: "busy", until: new Date(until).toISOString() }
}
