import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { DueList, DueSubject } from "../../kernel/due.ts"
import { leaseKey } from "../../kernel/keys.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import { createWorkspaceStore } from "../workspaces/blob-store.ts"
import type { Manifest } from "../workspaces/manifest.ts"
import { ensureArchive } from "./archive.ts"

/**
 * The state of making a version's archive. A hint like a lease: whether there is an archive, its blob says. Two
 * that are made at once are the same, so all that could go wrong here is that one is made in vain.
 */
const ArchiveJob = z.object({
  /** Counts the launches, so that one that comes late or twice is told from the one that is meant. */
  attempt: z.int(),
  /** Launches in a row that made none. */
  tries: z.int(),
  /** The worker that makes it, once a launch was taken up. */
  maker: z.string().nullable(),
  /** Until then it is waited for, or, after a failure, not tried again. */
  until: z.number(),
  failed: z.boolean(),
})
export type ArchiveJob = z.infer<typeof ArchiveJob>

/** Of which version of which life of which session. */
export type ArchiveSubject = Omit<Extract<DueSubject, { kind: "archive" }>, "kind">

/** A version whose archive is to be made, and the number of this try. */
export interface ArchiveLaunch {
  sid: string
  incarnation: number
  manifest: string
  attempt: number
}

export interface ArchiveLauncher {
  /** Present where no request can wait for a large archive. A repeated launch does no harm. */
  startArchive?(launch: ArchiveLaunch, options: { signal: AbortSignal }): Promise<void>
}

export interface ArchiveDeps extends SessionLogDeps {
  records: Records
  blobs: Blobs
  due: DueList
  launcher: ArchiveLauncher
}

export type Archive = { made: true; key: string } | { made: false; manifest: string }

interface Options {
  signal: AbortSignal
}

/** The size that a request can wait for: a few seconds in a function with half a processor. */
const AT_ONCE = { bytes: 24 * 1024 * 1024, files: 1500 }
const START_WITHIN_MS = 30_000
const MOST_TRIES = 3
const RESTS_AFTER_FAILURE_MS = 10 * 60_000
const KEPT_SECONDS = 86_400

export interface Archives {
  /**
   * The archive of the newest version. Where the launcher can make archives elsewhere, a large one is: then this says that
   * it is not made yet, however often it is asked, and it is made once. Throws `archive_failed` if that was tried in vain.
   */
  request(session: SessionLog, options: Options): Promise<Archive>
  /** The state of a requested archive; undefined if nobody requested it. Throws `archive_failed`. */
  find(session: SessionLog, manifest: string, options: Options): Promise<Archive | undefined>
}

export function createArchives(deps: ArchiveDeps): Archives {
  return {
    request: (session, options) => request(deps, session, options),
    find: (session, manifest, options) => find(deps, session, manifest, options),
  }
}

async function request(deps: ArchiveDeps, session: SessionLog, options: Options): Promise<Archive> {
  const { workspace } = session.state
  const { incarnation } = session.state.session
  const store = createWorkspaceStore(deps.blobs, { sid: session.sid, incarnation })
  const key = store.archiveKey(workspace.manifest)
  if (!deps.launcher.startArchive || !workspace.manifest) {
    return { made: true, key: await ensureArchive(deps, session, options) }
  }
  if (await deps.blobs.head(key, options)) return { made: true, key }
  if (isSmall(await store.readManifest(workspace.manifest, options))) {
    return { made: true, key: await ensureArchive(deps, session, options) }
  }
  const subject = { sid: session.sid, incarnation, manifest: workspace.manifest }
  const standing = await readJob(deps, subject, options)
  if (standing?.job.failed && standing.job.until > deps.clock.now()) throw failed(deps, standing.job)
  const lapsed = !standing || standing.job.until <= deps.clock.now()
  if (lapsed) await launch(deps, subject, standing, standing?.job.failed ? 1 : (standing?.job.tries ?? 0) + 1, options)
  return { made: false, manifest: workspace.manifest }
}

async function find(
  deps: ArchiveDeps,
  session: SessionLog,
  manifest: string,
  options: Options,
): Promise<Archive | undefined> {
  const { sid, state } = session
  const key = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation }).archiveKey(manifest)
  if (await deps.blobs.head(key, options)) return { made: true, key }
  const standing = await readJob(deps, { sid, incarnation: state.session.incarnation, manifest }, options)
  if (standing?.job.failed) throw failed(deps, standing.job)
  return standing && { made: false, manifest }
}

/** Starts again what was launched and came to nothing; leaves a hint of when to look next, if there is more to wait for. */
export async function sweepArchive(deps: ArchiveDeps, subject: ArchiveSubject, options: Options): Promise<void> {
  const { sid, state } = await openSessionLog(deps, subject.sid, options)
  if (!isLive(state) || state.session.incarnation !== subject.incarnation) return
  const key = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation }).archiveKey(
    subject.manifest,
  )
  if (await deps.blobs.head(key, options)) return
  const standing = await readJob(deps, subject, options)
  if (!standing || standing.job.failed) return
  const { job } = standing
  if (job.until > deps.clock.now()) {
    await deps.due.add({ kind: "archive", ...subject }, job.until, options)
  } else if (job.tries < MOST_TRIES) {
    await launch(deps, subject, standing, job.tries + 1, options)
  } else {
    await writeJob(deps, subject, standing, failure(deps, job), options)
  }
}

/** The job after a try that made nothing: it is due again at once, or given up for a while. */
export function afterFailure({ clock }: Pick<ArchiveDeps, "clock">, job: ArchiveJob): ArchiveJob {
  return job.tries < MOST_TRIES ? { ...job, until: clock.now() } : failure({ clock }, job)
}

export interface StandingJob {
  job: ArchiveJob
  version: number
}

export async function readJob(
  { records }: Pick<ArchiveDeps, "records">,
  subject: ArchiveSubject,
  options: Options,
): Promise<StandingJob | undefined> {
  const record = await records.get(jobKey(subject), options)
  return record && { job: ArchiveJob.parse(record.value), version: record.version }
}

/** Resolves to whether nobody else wrote in the meantime. */
export async function writeJob(
  { records, clock }: Pick<ArchiveDeps, "records" | "clock">,
  subject: ArchiveSubject,
  standing: StandingJob | undefined,
  job: ArchiveJob,
  { signal }: Options,
): Promise<boolean> {
  const condition = standing ? { ifVersion: standing.version } : { ifAbsent: true as const }
  const expiresAt = Math.ceil(Math.max(job.until, clock.now()) / 1000) + KEPT_SECONDS
  return Boolean(await records.put(jobKey(subject), { value: job }, { ...condition, expiresAt, signal }))
}

/** The hint first: if we die before the launch, the sweep makes up for it. */
async function launch(
  deps: ArchiveDeps,
  subject: ArchiveSubject,
  standing: StandingJob | undefined,
  tries: number,
  options: Options,
): Promise<void> {
  const until = deps.clock.now() + START_WITHIN_MS
  const attempt = (standing?.job.attempt ?? 0) + 1
  await deps.due.add({ kind: "archive", ...subject }, until, options)
  const mine = await writeJob(deps, subject, standing, { attempt, tries, maker: null, until, failed: false }, options)
  const toMake: ArchiveLaunch = { ...subject, attempt }
  if (mine) await deps.launcher.startArchive?.(toMake, options)
}

function failure({ clock }: Pick<ArchiveDeps, "clock">, job: ArchiveJob): ArchiveJob {
  return { ...job, failed: true, until: clock.now() + RESTS_AFTER_FAILURE_MS }
}

function failed({ clock }: Pick<ArchiveDeps, "clock">, { until }: ArchiveJob): AppError {
  const seconds = Math.max(1, Math.ceil((until - clock.now()) / 1000))
  return new AppError(
    "archive_failed",
    `The zip could not be made, ${MOST_TRIES} times in a row. Ask again in ${seconds} s: then it is tried again.`,
    { retry_after_seconds: seconds },
  )
}

function isSmall({ files }: Manifest): boolean {
  return files.length <= AT_ONCE.files && files.reduce((sum, { size }) => sum + size, 0) <= AT_ONCE.bytes
}

function jobKey({ sid, incarnation, manifest }: ArchiveSubject): { partition: string; sort: string } {
  return leaseKey(sid, `archive/${incarnation}/${manifest}`)
}
