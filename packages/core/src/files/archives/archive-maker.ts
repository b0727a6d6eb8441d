import { AppError } from "../../errors.ts"
import { LEASE_MS, RENEW_MS } from "../../kernel/lease.ts"
import { openSessionLog, type SessionLog } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import { ensureArchive } from "./archive.ts"
import {
  type ArchiveDeps,
  type ArchiveLaunch,
  type ArchiveSubject,
  afterFailure,
  readJob,
  type StandingJob,
  writeJob,
} from "./archive-job.ts"

export interface ArchiveMakerDeps extends Omit<ArchiveDeps, "launcher"> {
  /** This maker's name. */
  maker: string
  /** Hears of tries that failed; the sweep starts the next. */
  report: (error: unknown) => void
}

interface Options {
  signal: AbortSignal
}

const CONCLUDE_WITHIN_MS = 10_000

/**
 * Makes the archive that it was launched for. A launch that comes late, or twice, or after the session's end, does nothing.
 * Resolves to whether it is made now.
 */
export async function makeArchive(deps: ArchiveMakerDeps, launch: ArchiveLaunch, options: Options): Promise<boolean> {
  const { attempt, ...subject } = launch
  const session = await openSessionLog(deps, subject.sid, options)
  if (!isStill(session, subject)) return false
  const claimed = await claim(deps, subject, attempt, options)
  if (!claimed) return false

  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const keeping = keepClaim(deps, subject, claimed, signal, () => stop.abort(OVERTAKEN))
  let failure: unknown
  try {
    await ensureArchive(deps, session, { at: { version: 0, manifest: subject.manifest }, signal })
  } catch (error) {
    failure = error
  }
  stop.abort()
  const standing = await keeping
  if (failure === undefined) return true
  if (stop.signal.reason === OVERTAKEN) return false

  const soon = { signal: AbortSignal.timeout(CONCLUDE_WITHIN_MS) }
  await session.catchUp(soon)
  // Whatever was missing then is missing rightly.
  if (!isStill(session, subject)) return false
  deps.report(failure)
  await deps.due.add({ kind: "archive", ...subject }, deps.clock.now(), soon)
  await writeJob(deps, subject, standing, afterFailure(deps, standing.job), soon)
  return false
}

const OVERTAKEN = new AppError("storage_conflict", "Somebody else makes this archive.")

function isStill({ state }: SessionLog, { incarnation }: ArchiveSubject): boolean {
  return isLive(state) && state.session.incarnation === incarnation
}

/** The job under our name, or undefined if this launch isn't the one that counts. */
async function claim(
  deps: ArchiveMakerDeps,
  subject: ArchiveSubject,
  attempt: number,
  options: Options,
): Promise<StandingJob | undefined> {
  const standing = await readJob(deps, subject, options)
  if (!standing || standing.job.attempt !== attempt || standing.job.maker !== null || standing.job.failed)
    return undefined
  const job = { ...standing.job, maker: deps.maker, until: deps.clock.now() + LEASE_MS }
  await writeJob(deps, subject, standing, job, options)
  // Read back in any case: that tells a lost reply from a lost race.
  const now = await readJob(deps, subject, options)
  return now?.job.maker === deps.maker && now.job.attempt === attempt ? now : undefined
}

/** Says now and then that we are alive, until the signal aborts. Resolves to the job as it was last written. */
async function keepClaim(
  deps: ArchiveMakerDeps,
  subject: ArchiveSubject,
  claimed: StandingJob,
  signal: AbortSignal,
  overtaken: () => void,
): Promise<StandingJob> {
  let standing = claimed
  while (await slept(deps, signal)) {
    const job = { ...standing.job, until: deps.clock.now() + LEASE_MS }
    await writeJob(deps, subject, standing, job, { signal }).catch(() => undefined)
    const now = await readJob(deps, subject, { signal }).catch(() => undefined)
    if (now && (now.job.maker !== deps.maker || now.job.attempt !== claimed.job.attempt)) overtaken()
    standing = now ?? standing
  }
  return standing
}

async function slept({ clock }: ArchiveMakerDeps, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(RENEW_MS, { signal }).then(
    () => true,
    () => false,
  )
}
