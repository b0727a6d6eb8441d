import { AppError } from "../errors.ts"
import type { Remote } from "../files/worktrees/remote.ts"
import type { RepositoryCredentials, SessionLife } from "../files/worktrees/repository-credentials.ts"
import { sessionKey } from "../ids.ts"
import type { DueList } from "../kernel/due.ts"
import { logName } from "../kernel/keys.ts"
import { inLiveSession, type OpeningDetails, openSession } from "../kernel/rules.ts"
import type { SessionHandle } from "../kernel/session-handle.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "../kernel/session-log.ts"
import { isLive } from "../kernel/state.ts"
import type { SessionState } from "../state.ts"
import type { Records } from "../storage/records.ts"
import type { GitHostGrants } from "./git-host-grants.ts"
import { type ListOptions, listSessions, type SessionPage } from "./listing.ts"
import type { OwnerLimits } from "./owner-limits.ts"
import { changeSession, deleteSession, type SessionSettings } from "./rules.ts"
import { entryKey, GRACE_MS, readEntry, SESSION_TTL_MS, touchEntry, writeEntry } from "./session-index.ts"

export interface TouchedSession {
  session: SessionLog
  sessionId: string
  /** Time when the session expires, in Unix milliseconds. */
  expiresAt: number
}

export interface TouchOptions {
  /** Name for the session if this call opens the session. */
  name?: string
  /** Repository for the session's agents if this call opens the session. */
  repository?: string
  /** Session and version to copy the files from, if this call opens the session. */
  copiedFrom?: OpeningDetails["copied_from"]
  /** Repository named in the request. If it contains credentials, they are stored. */
  remote?: Remote
  /** True if the touch counts as activity, which moves the session to the top of the list. */
  active?: boolean
  signal: AbortSignal
}

export interface Sessions {
  /**
   * Returns the owner's session with this ID. Opens it if necessary. The session expires an hour after its last touch.
   */
  touch(owner: string, sessionId: string, options: TouchOptions): Promise<TouchedSession>
  /**
   * Prepares a session before another write uses it. The session may already be open; otherwise, the first batch of
   * that write opens it. Until then, the session doesn't exist, and leaves nothing behind if it is never opened.
   * Returns the incarnation that it will have.
   */
  announce(owner: string, sessionId: string, options: { remote?: Remote; signal: AbortSignal }): Promise<SessionLife>
  /** Like `touch`, but read-only. If the session doesn't exist, returns an empty session and doesn't open it. */
  view(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<TouchedSession>
  /** Returns and touches the owner's session with this ID. Throws `session_not_found` if it doesn't exist. */
  find(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<SessionHandle>
  /** Returns the state of the owner's session without touching it. Undefined if the session doesn't exist. */
  peek(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<SessionState | undefined>
  /**
   * Marks the session as deleted, which cancels its runs. Its data is removed once no executor can write to it any
   * more. Does nothing if the session doesn't exist.
   */
  remove(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<void>
  /** Changes the settings of the owner's session. Throws `session_not_found` if the session doesn't exist. */
  change(
    owner: string,
    sessionId: string,
    settings: SessionSettings,
    options: { signal: AbortSignal },
  ): Promise<SessionHandle>
  /**
   * Lists the owner's sessions: pinned sessions first, then the most recently active ones. Archived sessions are left
   * out by default. `before` is the value of `next` from the previous page.
   */
  list(owner: string, options: ListOptions): Promise<SessionPage>
}

export interface SessionsDeps extends SessionLogDeps {
  records: Records
  due: DueList
  repositoryCredentials: RepositoryCredentials
  gitHostGrants: Pick<GitHostGrants, "grant">
  limits: Pick<OwnerLimits, "requireSession" | "release">
}

export function createSessions(deps: SessionsDeps): Sessions {
  const { records, due, clock } = deps

  async function open(owner: string, sessionId: string, options: { signal: AbortSignal }) {
    const sid = sessionKey(owner, sessionId)
    const [session, entry] = await Promise.all([openSessionLog(deps, sid, options), readEntry(records, sid, options)])
    const known = entry && isLive(session.state) ? entry : undefined
    return { sid, session, entry: known }
  }

  async function touch(
    owner: string,
    sessionId: string,
    { name, repository, copiedFrom, remote, active = false, signal }: TouchOptions,
  ): Promise<TouchedSession> {
    const { session, entry } = await open(owner, sessionId, { signal })
    if (!isLive(session.state)) await deps.limits.requireSession(owner, { signal })
    await touchEntry(deps, { owner, sessionId, entry }, { active, signal })
    const details = { name, repository, copied_from: copiedFrom }
    if (!isLive(session.state)) await session.decide(openSession(sessionId, details), { signal })
    if (remote) await storeCredentials(owner, lifeOf(session), remote, { signal })
    return { session, sessionId, expiresAt: clock.now() + SESSION_TTL_MS }
  }

  async function announce(
    owner: string,
    sessionId: string,
    { remote, signal }: { remote?: Remote; signal: AbortSignal },
  ): Promise<SessionLife> {
    const { session, entry } = await open(owner, sessionId, { signal })
    const isOpen = isLive(session.state)
    if (!isOpen) await deps.limits.requireSession(owner, { signal })
    await touchEntry(deps, { owner, sessionId, entry }, { active: true, signal })
    const { sid, incarnation } = lifeOf(session)
    const life = { sid, incarnation: isOpen ? incarnation : incarnation + 1 }
    if (remote) await storeCredentials(owner, life, remote, { signal })
    return life
  }

  async function view(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<TouchedSession> {
    const { session, entry } = await open(owner, sessionId, options)
    if (isLive(session.state)) await touchEntry(deps, { owner, sessionId, entry }, options)
    return { session, sessionId, expiresAt: clock.now() + SESSION_TTL_MS }
  }

  async function storeCredentials(
    owner: string,
    life: SessionLife,
    { url, credentials }: Remote,
    options: { signal: AbortSignal },
  ): Promise<void> {
    if (credentials) await deps.repositoryCredentials.store(life, { url, credentials }, options)
    await deps.gitHostGrants.grant(owner, life, url, options)
  }

  async function find(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<SessionHandle> {
    const { sid, session, entry } = await open(owner, sessionId, options)
    if (!isLive(session.state)) throw await notFound(sid, session.state, options)
    const touched = await touchEntry(deps, { owner, sessionId, entry }, options)
    const { state, history } = session
    return { sid, sessionId, state, history, touchedAt: touched.touched_at }
  }

  /** Creates the error for a missing session. If the session was deleted, the error's details say so. */
  async function notFound(sid: string, state: SessionState, options: { signal: AbortSignal }) {
    const { deleted, since } = state.session
    const ended = deleted && since ? await deps.log.read(logName(sid), since.seq - 1, options).next() : undefined
    const details =
      ended?.value?.type === "session_deleted" ? { deleted_at: ended.value.ts, reason: ended.value.reason } : {}
    return new AppError("session_not_found", "Session not found.", details)
  }

  async function remove(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<void> {
    const { sid, session } = await open(owner, sessionId, options)
    if (!isLive(session.state)) return
    await due.add({ kind: "session", sid }, clock.now() + GRACE_MS, options)
    await session.decide(deleteSession("request"), options)
    await Promise.all([
      deps.repositoryCredentials.erase(sid, options),
      records.remove(entryKey(sid), options),
      deps.limits.release(owner, sid, options),
    ])
  }

  async function change(
    owner: string,
    sessionId: string,
    settings: SessionSettings,
    options: { signal: AbortSignal },
  ): Promise<SessionHandle> {
    const { sid, session, entry } = await open(owner, sessionId, options)
    if (!isLive(session.state)) throw await notFound(sid, session.state, options)
    const touched = await touchEntry(deps, { owner, sessionId, entry }, options)
    await session.decide(inLiveSession(changeSession(settings)), options)
    const { state, history } = session
    const { pinned, archived = false } = state.session
    const isListed = touched.pinned === pinned && touched.archived === archived && settings.name === undefined
    if (!isListed) await writeEntry(records, { ...touched, pinned, archived, name: undefined, named_at: 0 }, options)
    return { sid, sessionId, state, history, touchedAt: touched.touched_at }
  }

  async function peek(owner: string, sessionId: string, options: { signal: AbortSignal }) {
    const { state } = await openSessionLog(deps, sessionKey(owner, sessionId), options)
    return isLive(state) ? state : undefined
  }

  return {
    touch,
    announce,
    view,
    find,
    peek,
    remove,
    change,
    list: (owner, options) => listSessions(deps, owner, options),
  }
}

function lifeOf({ sid, state }: SessionLog): SessionLife {
  return { sid, incarnation: state.session.incarnation }
}
