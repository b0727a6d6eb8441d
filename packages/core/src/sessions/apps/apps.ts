import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { DueList, DueSubject } from "../../kernel/due.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { StoredRecord } from "../../storage/records.ts"
import type { OwnerLimits } from "../owner-limits.ts"
import { sessionName } from "../session-name.ts"
import { requireAppName } from "./app-name.ts"
import { AppRecord, appKey, copyFiles, type Publication, publicationBlobs } from "./app-store.ts"

export interface AppsDeps extends SessionLogDeps {
  blobs: Blobs
  due: DueList
  limits: Pick<OwnerLimits, "requireBytes" | "release">
}

/** A published app. */
export interface LiveApp extends Publication {
  name: string
}

interface Options {
  signal: AbortSignal
}

/** Maximum number of published apps per owner. */
const MAX_APPS = 100

/** Time after which an unused copy is removed. Copying takes much less time. */
const COPY_WITHIN_MS = 60 * 60_000

/**
 * Time after which a replaced copy is removed. Visitors still see the old copy until the request has stored the next
 * one, and requests that are in progress at that moment still read it. The time is therefore longer than a request
 * takes.
 */
const GRACE_MS = 5 * 60_000

/** Time that a withdrawn name stays reserved for its owner. */
const RESERVED_SECONDS = 365 * 86_400

export type Apps = ReturnType<typeof createApps>

/** Creates the registry of published apps. Each name belongs to one owner, and shows one immutable copy at a time. */
export function createApps(deps: AppsDeps) {
  const { records, clock, due, limits, newId } = deps

  async function list(owner: string, options: Options): Promise<LiveApp[]> {
    const found = await Array.fromAsync(records.byList(listOf(owner), { reverse: true, ...options }))
    return found.flatMap(({ value }) => toLive(AppRecord.parse(value)) ?? [])
  }

  async function find(owner: string, name: string, options: Options): Promise<LiveApp | undefined> {
    const record = await records.get(appKey(name), options)
    const parsed = record && AppRecord.parse(record.value)
    return parsed?.owner === owner ? toLive(parsed) : undefined
  }

  async function ofSession(owner: string, sid: string, options: Options): Promise<LiveApp | undefined> {
    return (await list(owner, options)).find((app) => app.sid === sid)
  }

  /**
   * Publishes the newest version of a session's page. Replaces what the session published before. Throws
   * `invalid_request` if there is nothing to publish, and `app_exists` if the name is taken. If publishing fails, the
   * earlier publication stays in place.
   */
  async function publish(owner: string, session: SessionHandle, given: string, options: Options): Promise<LiveApp> {
    const name = requireAppName(given)
    // Load the module on demand. It contains a parser, and most processes never publish anything.
    const { planApp } = await import("./app-plan.ts")
    const { app, version, reason } = await planApp(deps, session, options)
    if (!app || reason !== undefined) throw new AppError("invalid_request", reason ?? "")
    const { sid, sessionId, state } = session
    const before = await requireName(owner, sid, name, options)
    const publication = newId("pub")
    await due.add({ kind: "app", sid, name, publication, owner }, clock.now() + COPY_WITHIN_MS, options)
    await limits.requireBytes(owner, bytesKey(publication), app.sizeBytes, options)
    const { incarnation } = state.session
    await copyFiles(deps, { sid, incarnation }, app, publicationBlobs(name, publication), options)
    const live: Publication = {
      publication,
      sid,
      session_id: sessionId,
      session_name: sessionName(state),
      version,
      folder: app.folder.replace(/\/$/, ""),
      file_count: app.files.length,
      size_bytes: app.sizeBytes,
      published_at: clock.now(),
    }
    await replace(owner, { name, owner, live }, before, options)
    const { folder, file_count, size_bytes } = live
    const replaced = Boolean(before && AppRecord.parse(before.value).live)
    const about = { name, workspace_version: version, folder, file_count, size_bytes, replaced }
    await append(sid, { type: "app_published", ...about }, options)
    return { ...live, name }
  }

  /** Returns the record of a name that the session may publish under. Undefined if the name is free. */
  async function requireName(owner: string, sid: string, name: string, options: Options) {
    const own = await list(owner, options)
    const current = own.find((app) => app.sid === sid)
    if (current && current.name !== name) {
      const message = `This session is published as "${current.name}". Unpublish it before you choose another name.`
      throw new AppError("app_exists", message, { name: current.name })
    }
    if (!current && own.length >= MAX_APPS) {
      const message = `You have ${MAX_APPS} published apps, which is the maximum. Unpublish an app first.`
      throw new AppError("limit_reached", message, { maximum: MAX_APPS })
    }
    const record = await records.get(appKey(name), options)
    if (!record) return undefined
    const found = AppRecord.parse(record.value)
    if (found.owner !== owner) throw new AppError("app_exists", `The name "${name}" is taken. Choose another one.`)
    if (found.live && found.live.sid !== sid) {
      const message = `You publish another session as "${name}". Unpublish it first, or choose another name.`
      throw new AppError("app_exists", message, { session_id: found.live.session_id })
    }
    return record
  }

  /**
   * Changes what a name shows, unless the record has changed since `before` was read. The sweep removes the earlier
   * copy later.
   */
  async function replace(owner: string, next: AppRecord, before: StoredRecord | undefined, options: Options) {
    const condition = before ? { ifVersion: before.version } : { ifAbsent: true as const }
    const { live } = next
    const old = before && AppRecord.parse(before.value).live
    if (old) {
      const { sid, publication } = old
      await due.add({ kind: "app", sid, name: next.name, publication, owner }, clock.now() + GRACE_MS, options)
    }
    const place = live
      ? { listed: { list: listOf(owner), order: String(live.published_at).padStart(15, "0") } }
      : { expiresAt: Math.ceil(clock.now() / 1000) + RESERVED_SECONDS }
    const stored = await records.put(appKey(next.name), { value: next }, { ...condition, ...place, ...options })
    if (stored === undefined && !(await isStored(next, options)))
      throw new AppError("storage_conflict", "This app was changed at the same time. Try again.")
  }

  /** True if the record was stored. Needed when the reply to a write was lost. */
  async function isStored({ name, owner, live }: AppRecord, options: Options): Promise<boolean> {
    const record = await records.get(appKey(name), options)
    const found = record && AppRecord.parse(record.value)
    return found?.owner === owner && found.live?.publication === live?.publication
  }

  /**
   * Removes an app's address immediately, and its bytes within minutes. Throws `not_found` if the owner has no such
   * app.
   */
  async function withdraw(owner: string, name: string, options: Options): Promise<void> {
    const record = await records.get(appKey(name), options)
    const found = record && AppRecord.parse(record.value)
    if (!found?.live || found.owner !== owner)
      throw new AppError("not_found", "You have no published app with this name.")
    await replace(owner, { name, owner, live: null }, record, options)
    await append(found.live.sid, { type: "app_withdrawn", name }, options)
  }

  /** Appends the event, unless the session has been deleted. An app can outlive its session. */
  async function append(sid: string, event: NewEvent, options: Options): Promise<void> {
    const log = await openSessionLog(deps, sid, options)
    await log.decide((state) => (isLive(state) ? [event] : []), options)
  }

  /** Removes a copy that isn't shown at any address. */
  async function sweep({ name, publication, owner }: AppSubject, options: Options): Promise<void> {
    const record = await records.get(appKey(name), options)
    const found = record && AppRecord.parse(record.value)
    if (found?.live?.publication === publication) return
    await deps.blobs.remove(publicationBlobs(name, publication), options)
    const counted = owner ?? found?.owner
    if (counted !== undefined) await limits.release(counted, bytesKey(publication), options)
  }

  return { list, find, ofSession, publish, withdraw, sweep }
}

type AppSubject = Extract<DueSubject, { kind: "app" }>

function listOf(owner: string): string {
  return `apps/${owner}`
}

/** Returns the name that represents a publication when its bytes are counted towards its owner's storage. */
function bytesKey(publication: string): string {
  return `app/${publication}`
}

function toLive({ name, live }: AppRecord): LiveApp | undefined {
  return live ? { ...live, name } : undefined
}
