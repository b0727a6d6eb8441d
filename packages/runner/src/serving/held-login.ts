import { randomUUID } from "node:crypto"
import type { CliId } from "@switchyard/core/agents/clis/clis"
import { type LoginFiles, loginRevision, loginTokens } from "@switchyard/core/agents/runner/login-files"
import type { LeftLogin, LoginAnswer, LoginRequest } from "@switchyard/core/agents/runner/login-schema"
import type { Clock } from "@switchyard/core/time"
import { type Concealment, createConcealment } from "../agents/concealment.ts"
import type { Files } from "../files/files.ts"
import type { AskLogins } from "./host.ts"
import { openLoginHome } from "./login-home.ts"

/** Existing home of a program. `disk` accesses it as the program's user. */
export interface ProgramHome {
  home: string
  disk: Files
}

export interface LoginUse extends ProgramHome {
  runId: string
  account: string
  cli: CliId
  /** User that owns the home. */
  user: Pick<LeftLogin["home"], "worktree" | "repository">
}

/**
 * A login that was written to its agent's home. Disposing of it removes the login from the home and stores the version
 * that the program left there.
 */
export interface HeldLogin extends AsyncDisposable {
  state: "held"
  /** Masks the login in all output, including versions that the program renewed. */
  concealment: Concealment
}

interface Deps {
  ask: AskLogins
  clock: Clock
  report: (error: unknown) => void
}

/**
 * Interval at which the server is notified that the login is still in use. It is a third of the time after which the
 * server considers the holder lost.
 */
const KEEP_MS = 20_000
/** Interval at which the home is checked for a renewed login. */
const LOOK_MS = 1000
/**
 * Time limit for returning a login. If the server doesn't accept it in time, the login stays in the home for the
 * session's next runner.
 */
const RELEASE_WITHIN_MS = 10_000

/**
 * Claims an account's login and writes it to the home of the account's program. If a dead runner left a renewed login
 * in that home, that login is stored first (unless a newer one is already stored), because the provider accepts each
 * version only once. Returns `gone` if the account has no login.
 */
export async function takeLogin(
  { ask, clock, report }: Deps,
  { runId, account, cli, user, home: folder, disk }: LoginUse,
  { signal }: { signal: AbortSignal },
): Promise<HeldLogin | Exclude<LoginAnswer, { state: "held" }>> {
  const holder = randomUUID()
  const about = { run_id: runId, account, holder }
  const home = await openLoginHome(folder, { cli, disk })
  const answer = await ask({ act: "take", ...about, home: { cli, ...user } }, { signal })
  if (answer.state === "gone") await home.clear()
  if (answer.state !== "held") return answer
  const { id } = answer
  const concealment = createConcealment(home.renewedTokens)
  /** Stored revision that the home's files are based on. `known` contains the files of that revision. */
  let { revision } = answer
  let known = answer.files ?? {}
  /** True if another login has replaced this one in the account. In that case, this login is no longer stored. */
  let isReplaced = false
  /**
   * Revisions that were sent since the last confirmed one. If the replies were lost, any of these revisions may be the
   * stored one.
   */
  let sent: string[] = []
  let keptAt = clock.monotonic()

  async function keep(renewed: LoginFiles | undefined, options: { signal: AbortSignal }) {
    if (renewed) concealment.add(loginTokens(renewed))
    const refreshed = renewed && !isReplaced ? { files: renewed, revision } : undefined
    if (refreshed) {
      sent = [...new Set([...sent, loginRevision(refreshed.files)])]
      await home.mark({ revision, holder, sent })
    }
    const told = await store(ask, { id, ...about, refreshed }, sent, options)
    keptAt = clock.monotonic()
    if (told.state === "gone") {
      isReplaced = true
      await home.clear()
    }
    if (told.state !== "held" || !refreshed) return
    known = refreshed.files
    isReplaced = told.revision !== loginRevision(known)
    if (isReplaced) return
    revision = told.revision
    sent = []
    await home.mark({ revision, holder })
  }

  /** Returns the home's files if they contain a login that has changed. */
  async function renewed(): Promise<LoginFiles | undefined> {
    const files = await home.read()
    return files && loginRevision(files) !== loginRevision(known) ? files : undefined
  }

  async function look(options: { signal: AbortSignal }): Promise<void> {
    const files = await renewed()
    if (files || clock.monotonic() - keptAt >= KEEP_MS) await keep(files, options)
  }

  async function giveBack(): Promise<void> {
    const within = { signal: AbortSignal.timeout(RELEASE_WITHIN_MS) }
    if (isLaid) await look(within)
    // If this holder was considered lost, another holder may already be using the same home.
    const mark = isLaid ? await home.marked() : undefined
    if (mark === undefined || mark.holder === holder) await home.clear()
    // Release the login last, because another holder may then use the home.
    await ask({ act: "release", id, ...about }, within)
  }

  concealment.add(loginTokens(known))
  /** The files in the home may replace the stored ones only if they are based on the stored revision. */
  const before = await home.marked()
  let isLaid = before !== undefined && [before.revision, ...before.sent].includes(revision)
  try {
    const left = isLaid ? await renewed() : undefined
    if (left) await keep(left, { signal })
    await home.mark({ revision, holder })
    await home.write(known)
    isLaid = true
  } catch (error) {
    await giveBack().catch(report)
    throw error
  }

  const closing = new AbortController()
  async function keepLooking(): Promise<void> {
    let failed = false
    while (!closing.signal.aborted) {
      await clock.sleep(LOOK_MS, closing).catch(() => undefined)
      if (closing.signal.aborted) return
      try {
        await look(closing)
        failed = false
      } catch (error) {
        if (!failed && !closing.signal.aborted) report(error)
        failed = true
      }
    }
  }
  const keeping = keepLooking()

  return {
    state: "held",
    concealment,
    async [Symbol.asyncDispose]() {
      closing.abort()
      await keeping
      await giveBack().catch(report)
    },
  }
}

/** Renews a login's lease and stores the login's changes. Also works if the reply to an earlier request was lost. */
async function store(
  ask: AskLogins,
  request: Omit<Extract<LoginRequest, { act: "keep" }>, "act">,
  sent: string[],
  options: { signal: AbortSignal },
): Promise<LoginAnswer> {
  const { refreshed } = request
  const told = await ask({ act: "keep", ...request }, options)
  const isStored = !refreshed || told.state !== "held" || told.revision === loginRevision(refreshed.files)
  if (isStored || !sent.includes(told.revision)) return told
  return ask({ act: "keep", ...request, refreshed: { ...refreshed, revision: told.revision } }, options)
}

/**
 * Gives back the logins that earlier runners of the session had claimed, once their programs have ended. Stores each
 * login as its program left it, unless the stored login has changed since. Then removes the login from its home.
 * Failures are reported and left to the next runner.
 */
export async function returnLeftLogins(
  { ask, report }: Pick<Deps, "ask" | "report">,
  logins: LeftLogin[],
  homeOf: (left: LeftLogin) => ProgramHome,
  options: { signal: AbortSignal },
): Promise<void> {
  for (const left of logins) await returnLogin(ask, left, homeOf(left), options).catch(report)
}

async function returnLogin(
  ask: AskLogins,
  { home: { cli }, revision, ...about }: LeftLogin,
  { home: folder, disk }: ProgramHome,
  options: { signal: AbortSignal },
): Promise<void> {
  // The runner may have been killed before it created the home.
  if (await disk.exists(folder)) {
    const home = await openLoginHome(folder, { cli, disk })
    const files = await home.read()
    const refreshed = files && loginRevision(files) !== revision ? { files, revision } : undefined
    const mark = await home.marked()
    const sent = mark?.holder === about.holder ? mark.sent : []
    const told = await store(ask, { ...about, refreshed }, sent, options)
    if (mark === undefined || mark.holder === about.holder) await home.clear()
    // Another holder now has the login, and will return it later.
    if (told.state === "busy" || told.state === "refused") return
  }
  await ask({ act: "release", ...about }, options)
}
