import { AppError } from "../../errors.ts"
import { LEASE_MS, RENEW_MS } from "../../kernel/lease.ts"
import { openSessionLog, type SessionLog } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import { ensureArchive } from "./archive.ts"
import {
  type ArchiveDeps,
  type ArchiveLaunch,
  type ArchiveSubject,
  afterFailedTry,
  readJob,
  type StoredJob,
  writeJob,
} from "./archive-job.ts"

export interface ArchiveMakerDeps extends Omit<ArchiveDeps, "launcher"> {
  maker: string
  /** Receives the error of a failed attempt. The next attempt is started by the sweep. */
  report: (error: unknown) => void
}

interface Options {
  signal: AbortSignal
}

const CONCLUDE_WITHIN_MS = 10_000

/**
 * Makes the archive for a launch. Does nothing if the launch is late or repeated, or if the session was deleted.
 * Returns true if it made the archive.
 */
export async function makeArchive(deps: ArchiveMakerDeps, launch: ArchiveLaunch, options: Options): Promise<boolean> {
  const { attempt, ...subject } = launch
  const session = await openSessionLog(deps, subject.sid, options)
  if (!isCurrentIncarnation(session, subject)) return false
  const claimed = await claim(deps, subject, attempt, options)
  if (!claimed) return false

  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const renewing = renewClaim(deps, subject, claimed, signal, () => stop.abort(SUPERSEDED))
  let failure: unknown
  try {
    await ensureArchive(deps, session, { at: { version: 0, manifest: subject.manifest }, signal })
  } catch (error) {
    failure = error
  }
  stop.abort()
  const job = await renewing
  if (failure === undefined) return true
  if (stop.signal.reason === SUPERSEDED) return false

  const concludeOptions = { signal: AbortSignal.timeout(CONCLUDE_WITHIN_MS) }
  await session.catchUp(concludeOptions)
  // If the session has been deleted, the failure is expected.
  if (!isCurrentIncarnation(session, subject)) return false
  deps.report(failure)
  await deps.due.add({ kind: "archive", ...subject }, deps.clock.now(), concludeOptions)
  await writeJob(deps, subject, job, afterFailedTry(deps, job.job), concludeOptions)
  return false
}

const SUPERSEDED = new AppError("storage_conflict", "Another worker is already making this archive.")

function isCurrentIncarnation({ state }: SessionLog, { incarnation }: ArchiveSubject): boolean {
  return isLive(state) && state.session.incarnation === incarnation
}

/** Claims the job for this maker. Returns undefined if the launch is no longer current. */
async function claim(
  deps: ArchiveMakerDeps,
  subject: ArchiveSubject,
  attempt: number,
  options: Options,
): Promise<StoredJob | undefined> {
  const current = await readJob(deps, subject, options)
  if (!current || current.job.attempt !== attempt || current.job.maker !== null || current.job.failed) return undefined
  const job = { ...current.job, maker: deps.maker, until: deps.clock.now() + LEASE_MS }
  await writeJob(deps, subject, current, job, options)
  // Read the job back even if the write failed, because the claim may have succeeded although its reply was lost.
  const now = await readJob(deps, subject, options)
  return now?.job.maker === deps.maker && now.job.attempt === attempt ? now : undefined
}

/** Renews the claim until the signal aborts. Returns the job as it was last written. */
async function renewClaim(
  deps: ArchiveMakerDeps,
  subject: ArchiveSubject,
  claimed: StoredJob,
  signal: AbortSignal,
  onSuperseded: () => void,
): Promise<StoredJob> {
  let current = claimed
  while (await sleepUnlessAborted(deps, signal)) {
    const job = { ...current.job, until: deps.clock.now() + LEASE_MS, doubted: false }
    await writeJob(deps, subject, current, job, { signal }).catch(() => undefined)
    const now = await readJob(deps, subject, { signal }).catch(() => undefined)
    if (now && (now.job.maker !== deps.maker || now.job.attempt !== claimed.job.attempt)) onSuperseded()
    current = now ?? current
  }
  return current
}

async function sleepUnlessAborted({ clock }: ArchiveMakerDeps, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(RENEW_MS, { signal }).then(
    () => true,
    () => false,
  )
}
