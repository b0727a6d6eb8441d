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
 * The job of making a version's archive. A hint like a lease: the blob decides whether there is an archive. Concurrent jobs
 * make the same archive, so the worst case is one made in vain.
 */
const ArchiveJob = z.object({
  /** The number of the launch, by which a late or repeated one is recognized. */
  attempt: z.int(),
  /** Launches in a row without an archive. */
  tries: z.int(),
  /** The worker that makes it, once it has claimed the launch. */
  maker: z.string().nullable(),
  /** The time until which the launch is waited for, or, after a failure, not retried. */
  until: z.number(),
  failed: z.boolean(),
  /** Whether its time was over before, without another sign of its maker since. */
  doubted: z.boolean(),
})
export type ArchiveJob = z.infer<typeof ArchiveJob>

/** The version of a workspace, in one incarnation of a session. */
export type ArchiveSubject = Omit<Extract<DueSubject, { kind: "archive" }>, "kind">

/** A version whose archive is to be made, and the number of this try. */
export interface ArchiveLaunch {
  sid: string
  incarnation: number
  manifest: string
  attempt: number
}

export interface ArchiveLauncher {
  /** Present where a request can't wait for a large archive. A repeated launch is harmless. */
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
const INLINE_LIMITS = { bytes: 24 * 1024 * 1024, files: 1500 }
const START_WITHIN_MS = 30_000
/** The time in which a maker that lives gives two signs: the first may be refused, for the doubt was written meanwhile. */
const DOUBT_MS = 2 * RENEW_MS + LEASE_MARGIN_MS
const MAX_TRIES = 3
const FAILURE_BACKOFF_MS = 10 * 60_000
const RETENTION_SECONDS = 86_400

export interface Archives {
  /**
   * The archive of the newest version. A large one is made by the launcher, if it can: until then, each call resolves to
   * one that is not made yet, and it is made once. Throws `archive_failed` after too many failed tries.
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
  const { incarnation } = session.state.session
  const store = createWorkspaceStore(deps.blobs, { sid: session.sid, incarnation })
  // Loaded with the first download: a worker makes archives and is asked for none.
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

/** Relaunches a job whose launch has failed, or adds a hint of when to check it next. */
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

/** The job after a failed try: due again at once, or given up for a while. */
export function afterFailedTry({ clock }: Pick<ArchiveDeps, "clock">, job: ArchiveJob): ArchiveJob {
  return job.tries < MAX_TRIES ? { ...job, until: clock.now(), doubted: true } : failedJob({ clock }, job)
}

/**
 * The job, whose time ends at most as far ahead as it can: where the clock was set back since, it is shortened, in the store,
 * too. A live maker renews it in time, and a dead one isn't waited for until the clock is there again.
 */
async function readCurrentJob(deps: ArchiveDeps, subject: ArchiveSubject, options: Options) {
  const current = await readJob(deps, subject, options)
  const until = deps.clock.now() + (current?.job.failed ? FAILURE_BACKOFF_MS : LEASE_MS)
  if (!current || current.job.until <= until) return current
  await deps.due.add({ kind: "archive", ...subject }, until, options)
  await writeJob(deps, subject, current, { ...current.job, until }, options)
  return readJob(deps, subject, options)
}

/** Whether a job whose time is over may have a live maker: where the clock was set forward, all look so. */
function mayLive({ maker, failed, doubted }: ArchiveJob): boolean {
  return maker !== null && !failed && !doubted
}

/** Waits once more for a sign of the maker. */
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

/** Resolves to false if there was another write in the meantime. */
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

/** Adds the hint first: if this process dies before the launch, the sweep repeats it. */
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
    `The zip could not be made after ${MAX_TRIES} attempts. Try again in ${seconds} s.`,
    { retry_after_seconds: seconds },
  )
}

function isSmall({ files }: Manifest): boolean {
  return files.length <= INLINE_LIMITS.files && files.reduce((sum, { size }) => sum + size, 0) <= INLINE_LIMITS.bytes
}

function jobKey({ sid, incarnation, manifest }: ArchiveSubject): { partition: string; sort: string } {
  return leaseKey(sid, `archive/${incarnation}/${manifest}`)
}
