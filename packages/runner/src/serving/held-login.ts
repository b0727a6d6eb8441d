import { randomUUID } from "node:crypto"
import { type LoginFiles, loginRevision, loginTokens } from "@switchyard/core/agents/clis/login-files"
import type { CliId } from "@switchyard/core/agents/clis/schema"
import type { LeftLogin, LoginAnswer, LoginRequest } from "@switchyard/core/agents/runner/login-schema"
import type { Clock } from "@switchyard/core/time"
import { type Concealment, createConcealment } from "../agents/concealment.ts"
import type { Files } from "../files/files.ts"
import type { AskLogins } from "./host.ts"
import { openLoginHome } from "./login-home.ts"

/** The home of a program, which is there. `disk` reads and writes it as the program does. */
export interface ProgramHome {
  home: string
  disk: Files
}

export interface LoginUse extends ProgramHome {
  runId: string
  /** The account's name. */
  account: string
  cli: CliId
  /** The user whose home it is. */
  user: Pick<LeftLogin["home"], "worktree" | "repository">
}

/** A log-in that lies in its agent's home. Once it is closed, it is gone from there, and stored as its program has left it. */
export interface HeldLogin extends AsyncDisposable {
  state: "held"
  /** Blanks it, as it was and as it becomes. */
  concealment: Concealment
}

interface Deps {
  ask: AskLogins
  clock: Clock
  report: (error: unknown) => void
}

/** Three times in the time after which the server presumes that nobody holds it. */
const KEEP_MS = 20_000
/** The time within which a log-in that was renewed is stored. */
const LOOK_MS = 1000
/** Limit for giving one back. What the server doesn't take then stays in the home, for the session's next runner. */
const RELEASE_WITHIN_MS = 10_000

/**
 * Takes the log-in of an account for a program and lays it into its home. What a runner that died has left there is stored first, where
 * nothing else was in the meantime: the provider takes each renewed log-in only once. `gone` where the account has none any more.
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
  /** The stored revision that the home's files came from, and the files as they were stored. */
  let { revision } = answer
  let known = answer.files ?? {}
  /** Whether another log-in has come in its place: this one is stored no more. */
  let isReplaced = false
  /** The revisions that were sent since, whose answers may have been lost: one of them may be stored. */
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

  /** The files in the home, if they are a log-in and another than before. */
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
    // The next holder of one that was given up for dead may have the same home.
    const mark = isLaid ? await home.marked() : undefined
    if (mark === undefined || mark.holder === holder) await home.clear()
    // Last, for the same reason.
    await ask({ act: "release", id, ...about }, within)
  }

  concealment.add(loginTokens(known))
  /** Whether the files in the home came from what is stored: no others may be stored in its place. */
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

/**
 * Keeps a log-in, and stores what it has become: also where what is stored by now is what was sent before, and only the answer to that
 * was lost.
 */
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
 * Gives back the log-ins that earlier runners of the session took: stores each as its program has left it, where nothing else was stored
 * in the meantime, and takes it out of its home. Their programs must have ended. What can't be given back is reported, and stays for the
 * next runner.
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
  // It may have been killed before there was a home.
  if (await disk.exists(folder)) {
    const home = await openLoginHome(folder, { cli, disk })
    const files = await home.read()
    const refreshed = files && loginRevision(files) !== revision ? { files, revision } : undefined
    const mark = await home.marked()
    const sent = mark?.holder === about.holder ? mark.sent : []
    const told = await store(ask, { ...about, refreshed }, sent, options)
    if (mark === undefined || mark.holder === about.holder) await home.clear()
    // Another has it by now, who gives it back.
    if (told.state === "busy" || told.state === "refused") return
  }
  await ask({ act: "release", ...about }, options)
}
