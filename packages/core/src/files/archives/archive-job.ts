import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { DueList, DueSubject } from "../../kernel/due.ts"
import { leaseKey } from "../../kernel/keys.ts"
import { LEASE_MARGIN_MS, LEASE_MS, RENEW_MS } from "../../kernel/lease.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import { createWorkspaceStore } from "../workspaces/blob-store.ts"
import type { Manifest } from "../workspaces/manifest.ts"
import { ensureArchive } from "./archive.ts"

/**
 * Job to make the archive of a version. Like a lease, the job is only a hint: the archive exists if its blob exists.
 * Concurrent jobs make identical archives, so a race only wastes work.
 */
const ArchiveJob = z.object({
  /** Number of the launch, used to recognise late and repeated launches. */
  attempt: z.int(),
  /** Number of consecutive launches that produced no archive. */
  tries: z.int(),
  /** Worker that has claimed the launch and is making the archive. */
  maker: z.string().nullable(),
  /** Deadline of the launch or of the maker's claim. After a failure, this is the end of the pause before a retry. */
  until: z.number(),
  failed: z.boolean(),
  /** True if the deadline has passed once and the maker hasn't renewed its claim since then. */
  doubted: z.boolean(),
})
export type ArchiveJob = z.infer<typeof ArchiveJob>

/** A version of the workspace in one incarnation of a session. */
export type ArchiveSubject = Omit<Extract<DueSubject, { kind: "archive" }>, "kind">

/** Version to archive, and number of this attempt. */
export interface ArchiveLaunch {
  sid: string
  incarnation: number
  manifest: string
  attempt: number
}

export interface ArchiveLauncher {
  /**
   * Launches a worker that makes a large archive. A repeated launch is harmless. If absent, all archives are made
   * within requests.
   */
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

/** Limits for an archive that is made within a request, which takes a few seconds in a function with half a vCPU. */
const INLINE_LIMITS = { bytes: 24 * 1024 * 1024, files: 1500 }
const START_WITHIN_MS = 30_000
/**
 * Time for a doubted maker to renew its claim. It is long enough for two renewals, because a live maker's first renewal
 * may conflict with the write that marks the job as doubted.
 */
const DOUBT_MS = 2 * RENEW_MS + LEASE_MARGIN_MS
const MAX_TRIES = 3
const FAILURE_BACKOFF_MS = 10 * 60_000
const RETENTION_SECONDS = 86_400

export type Archives = ReturnType<typeof createArchives>

export function createArchives(deps: ArchiveDeps) {
  return {
    /**
     * Returns the archive of the newest version. If there is a launcher, a large archive is made by a worker that is
     * launched once, and calls return `made: false` until the archive is ready. Throws `archive_failed` after too many
     * failed attempts.
     */
    request: (session: SessionLog, options: Options): Promise<Archive> => request(deps, session, options),
    /**
     * Returns the state of a requested archive, or undefined if it was never requested. Throws `archive_failed` after
     * too many failed attempts.
     */
    find: (session: SessionLog, manifest: string, options: Options): Promise<Archive | undefined> =>
      find(deps, session, manifest, options),
  }
}

async function request(deps: ArchiveDeps, session: SessionLog, options: Options): Promise<Archive> {
  const { incarnation } = session.state.session
  const store = createWorkspaceStore(deps.blobs, { sid: session.sid, incarnation })
  // Loaded only on the first download, because workers make archives without this module.
  const { archivedTree, writeTree } = await import("./readme-verdict.ts")
  const tree = await archivedTree(store, session.state, options)
  const key = store.archiveKey(tree.sha256)
  if (await deps.blobs.head(key, options)) return { made: true, key }
  await writeTree(store, tree, options)
  if (!deps.launcher.startArchive || tree.sha256 === null || isSmall(tree.manifest)) {
    const at = { version: session.state.workspace.version, manifest: tree.sha256 }
    return { made: true, key: await ensureArchive(deps, session, { at, ...options }) }
  }
  const subject = { sid: session.sid, incarnation, manifest: tree.sha256 }
  const current = await readCurrentJob(deps, subject, options)
  if (current?.job.failed && current.job.until > deps.clock.now()) throw archiveFailed(deps, current.job)
  if (!current) await launch(deps, subject, current, 1, options)
  else if (current.job.until <= deps.clock.now()) {
    if (mayLive(current.job)) await doubt(deps, subject, current, options)
    else await launch(deps, subject, current, current.job.failed ? 1 : current.job.tries + 1, options)
  }
  return { made: false, manifest: tree.sha256 }
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
  const subject = { sid, incarnation: state.session.incarnation, manifest }
  const current = await readCurrentJob(deps, subject, options)
  if (current?.job.failed) throw archiveFailed(deps, current.job)
  return current && { made: false, manifest }
}

/** Checks a job. If its launch has failed, relaunches the job. Otherwise, adds a hint for the next check. */
export async function sweepArchive(deps: ArchiveDeps, subject: ArchiveSubject, options: Options): Promise<void> {
  const { sid, state } = await openSessionLog(deps, subject.sid, options)
  if (!isLive(state) || state.session.incarnation !== subject.incarnation) return
  const key = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation }).archiveKey(
    subject.manifest,
  )
  if (await deps.blobs.head(key, options)) return
  const current = await readCurrentJob(deps, subject, options)
  if (!current || current.job.failed) return
  const { job } = current
  if (job.until > deps.clock.now()) {
    await deps.due.add({ kind: "archive", ...subject }, job.until, options)
  } else if (mayLive(job)) {
    await doubt(deps, subject, current, options)
  } else if (job.tries < MAX_TRIES) {
    await launch(deps, subject, current, job.tries + 1, options)
  } else {
    await writeJob(deps, subject, current, failedJob(deps, job), options)
  }
}

/**
 * Returns the job after a failed attempt. The job is due again immediately or, after the last attempt, counts as failed
 * for a while.
 */
export function afterFailedTry({ clock }: Pick<ArchiveDeps, "clock">, job: ArchiveJob): ArchiveJob {
  return job.tries < MAX_TRIES ? { ...job, until: clock.now(), doubted: true } : failedJob({ clock }, job)
}

/**
 * Reads the job. If its deadline is further away than possible, because the clock was set back, shortens it to the
 * maximum. Otherwise, a dead maker would block the job until the clock has caught up. A live maker still renews its
 * claim in time.
 */
async function readCurrentJob(deps: ArchiveDeps, subject: ArchiveSubject, options: Options) {
  const current = await readJob(deps, subject, options)
  const until = deps.clock.now() + (current?.job.failed ? FAILURE_BACKOFF_MS : LEASE_MS)
  if (!current || current.job.until <= until) return current
  await deps.due.add({ kind: "archive", ...subject }, until, options)
  await writeJob(deps, subject, current, { ...current.job, until }, options)
  return readJob(deps, subject, options)
}

/**
 * True if the maker of an overdue job may still be alive and should get more time. This matters because all jobs look
 * overdue after the clock was set forward.
 */
function mayLive({ maker, failed, doubted }: ArchiveJob): boolean {
  return maker !== null && !failed && !doubted
}

/** Gives the maker one more chance to renew its claim. */
async function doubt(deps: ArchiveDeps, subject: ArchiveSubject, current: StoredJob, options: Options): Promise<void> {
  const until = deps.clock.now() + DOUBT_MS
  await deps.due.add({ kind: "archive", ...subject }, until, options)
  await writeJob(deps, subject, current, { ...current.job, until, doubted: true }, options)
}

export interface StoredJob {
  job: ArchiveJob
  version: number
}

export async function readJob(
  { records }: Pick<ArchiveDeps, "records">,
  subject: ArchiveSubject,
  options: Options,
): Promise<StoredJob | undefined> {
  const record = await records.get(jobKey(subject), options)
  return record && { job: ArchiveJob.parse(record.value), version: record.version }
}

/** Writes the job. Returns false if another write came first. */
export async function writeJob(
  { records, clock }: Pick<ArchiveDeps, "records" | "clock">,
  subject: ArchiveSubject,
  current: StoredJob | undefined,
  job: ArchiveJob,
  { signal }: Options,
): Promise<boolean> {
  const condition = current ? { ifVersion: current.version } : { ifAbsent: true as const }
  const expiresAt = Math.ceil(Math.max(job.until, clock.now()) / 1000) + RETENTION_SECONDS
  return Boolean(await records.put(jobKey(subject), { value: job }, { ...condition, expiresAt, signal }))
}

/** Launches a job. The hint is added first, so that the sweep relaunches the job if this process dies. */
async function launch(
  deps: ArchiveDeps,
  subject: ArchiveSubject,
  current: StoredJob | undefined,
  tries: number,
  options: Options,
): Promise<void> {
  const until = deps.clock.now() + START_WITHIN_MS
  const attempt = (current?.job.attempt ?? 0) + 1
  await deps.due.add({ kind: "archive", ...subject }, until, options)
  const job: ArchiveJob = { attempt, tries, maker: null, until, failed: false, doubted: false }
  const written = await writeJob(deps, subject, current, job, options)
  const archiveLaunch: ArchiveLaunch = { ...subject, attempt }
  if (written) await deps.launcher.startArchive?.(archiveLaunch, options)
}

function failedJob({ clock }: Pick<ArchiveDeps, "clock">, job: ArchiveJob): ArchiveJob {
  return { ...job, failed: true, until: clock.now() + FAILURE_BACKOFF_MS }
}

function archiveFailed({ clock }: Pick<ArchiveDeps, "clock">, { until }: ArchiveJob): AppError {
  const seconds = Math.max(1, Math.ceil((until - clock.now()) / 1000))
  return new AppError(
    "archive_failed",
    `The zip couldn't be created after ${MAX_TRIES} attempts. Try again in ${seconds} s.`,
    { retry_after_seconds: seconds },
  )
}

function isSmall({ files }: Manifest): boolean {
  return files.length <= INLINE_LIMITS.files && files.reduce((sum, { size }) => sum + size, 0) <= INLINE_LIMITS.bytes
}

function jobKey({ sid, incarnation, manifest }: ArchiveSubject): { partition: string; sort: string } {
  return leaseKey(sid, `archive/${incarnation}/${manifest}`)
}
