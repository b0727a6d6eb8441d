import type { Operations } from "@switchyard/client/operations"
import type { EventType } from "@switchyard/core/events"
import { PullRequest } from "@switchyard/core/files/worktrees/pull-request-schema"
import { FoundMessages } from "@switchyard/core/sessions/schema"
import { WorkEvidence } from "@switchyard/core/work/verification/evidence-schema"
import { SessionVerification } from "@switchyard/core/work/verification/settings-schema"
import type * as z from "zod"
import type { Requests, Waiting } from "./requests.ts"
import { type RunEvent, Session, SessionEvents, SessionList, Worktree } from "./responses.ts"

const SAVED_POLL_MS = 1000

/** Requests for sessions, their events, and their worktrees. */
export interface SessionRequests {
  session(sessionId: string, options: Waiting): Promise<z.infer<typeof Session>>
  /** Opens a session. If the reply is lost, an empty session remains. */
  openSession(input: Operations["POST /api/v1/sessions"]["body"], options: Waiting): Promise<z.infer<typeof Session>>
  /** Returns a page of sessions. `before` is the `next` of the previous page. */
  sessions(options: Waiting & { before?: string }): Promise<z.infer<typeof SessionList>>
  /** Finds messages of all sessions that contain these words. `before` is the `next` of the previous search. */
  search(q: string, options: Waiting & { before?: string | undefined }): Promise<FoundMessages>
  /** Yields all current events of a session with these types. */
  sessionEvents(sessionId: string, options: Waiting & { types: EventType[] }): AsyncGenerator<RunEvent>
  /** Returns a session's worktree. `branch` is null if there is none. */
  worktree(sessionId: string, options: Waiting): Promise<z.infer<typeof Worktree>>
  /** Resolves when all files of an agent's work are saved in the session. */
  filesSaved(sessionId: string, options: Waiting): Promise<void>
  /** Returns the evidence for the work in a session's worktree. */
  evidence(of: { sessionId: string; worktree: string | undefined }, options: Waiting): Promise<WorkEvidence>
  verification(sessionId: string, options: Waiting): Promise<SessionVerification>
  /** Changes how a session's later tasks are verified. Omitted fields keep their value. */
  setVerification(
    sessionId: string,
    change: Operations["PUT /api/v1/sessions/{id}/verification"]["body"],
    options: Waiting,
  ): Promise<SessionVerification>
  /** Opens a pull request for a worktree's branch, or updates the open one. */
  openPullRequest(
    of: { sessionId: string; worktree: string | undefined },
    request: Operations["POST /api/v1/sessions/{id}/worktree/pull-request"]["body"],
    options: Waiting,
  ): Promise<PullRequest>
}

export function createSessionRequests({ ask, clock }: Requests): SessionRequests {
  const session: SessionRequests["session"] = (id, { signal }) =>
    ask("GET /api/v1/sessions/{id}", Session, { path: { id }, signal })

  return {
    session,

    openSession: (body, { signal }) => ask("POST /api/v1/sessions", Session, { body, signal }),

    sessions: ({ before, signal }) => ask("GET /api/v1/sessions", SessionList, { query: { before }, signal }),

    search: (q, { before, signal }) => ask("GET /api/v1/search", FoundMessages, { query: { q, before }, signal }),

    async *sessionEvents(id, { types, signal }) {
      for (let since = 0; ; ) {
        const query = { since_seq: since, event_types: types.join(",") }
        const page = await ask("GET /api/v1/sessions/{id}/events", SessionEvents, { path: { id }, query, signal })
        yield* page.events
        if (page.to_seq >= page.latest_seq) return
        since = page.to_seq
      }
    },

    worktree: (id, { signal }) => ask("GET /api/v1/sessions/{id}/worktree", Worktree, { path: { id }, signal }),

    async filesSaved(sessionId, { signal }) {
      while ((await session(sessionId, { signal })).saving) await clock.sleep(SAVED_POLL_MS, { signal })
    },

    evidence: ({ sessionId: id, worktree }, { signal }) =>
      ask("GET /api/v1/sessions/{id}/worktree/evidence", WorkEvidence, { path: { id }, query: { worktree }, signal }),

    verification: (id, { signal }) =>
      ask("GET /api/v1/sessions/{id}/verification", SessionVerification, { path: { id }, signal }),

    setVerification: (id, body, { signal }) =>
      ask("PUT /api/v1/sessions/{id}/verification", SessionVerification, { path: { id }, body, signal }),

    openPullRequest: ({ sessionId: id, worktree }, body, { signal }) =>
      ask("POST /api/v1/sessions/{id}/worktree/pull-request", PullRequest, {
        ...{ path: { id }, query: { worktree }, body, signal },
      }),
  }
}
