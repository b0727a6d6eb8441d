import type { Operations } from "@switchyard/client/operations"
import { ChatFiles } from "@switchyard/core/work/chat/request-schema"
import { WorkEvidence } from "@switchyard/core/work/verification/evidence-schema"
import * as z from "zod"
import type { Requests, Waiting } from "./requests.ts"
import { Chat, Link, Preparing, Run, RunList, Sent, Session, Tree } from "./responses.ts"

type Body<O extends keyof Operations> = Operations[O]["body"]

export type Api = ReturnType<typeof createApi>

/** Creates methods for requests that several commands use. `ask` sends all other requests. */
export function createApi({ ask, follow, clock, connection }: Requests) {
  return {
    ask,
    follow,

    /** Starts a run. Idempotent: retries with the same key don't start a second run. */
    startRun: (body: Body<"POST /v1/runs">, { idempotencyKey, signal }: Waiting & { idempotencyKey: string }) =>
      ask("POST /v1/runs", Run, { body, headers: { "idempotency-key": idempotencyKey }, signal }),

    /** Returns the run as soon as it has ended, or after `waitSeconds`. */
    run: (id: string, { waitSeconds = 0, signal }: Waiting & { waitSeconds?: number } = {}) =>
      ask("GET /v1/runs/{id}", Run, {
        ...{ path: { id }, query: { wait: waitSeconds || undefined }, signal, waitMs: waitSeconds * 1000 },
      }),

    runs: async (limit: number) => (await ask("GET /v1/runs", RunList, { query: { limit } })).runs,

    cancelRun: (id: string, { signal }: Waiting = {}) =>
      ask("POST /v1/runs/{id}/cancel", Run, { path: { id }, signal }),

    session: (id: string, { signal }: Waiting = {}) =>
      ask("GET /api/v1/sessions/{id}", Session, { path: { id }, signal }),

    /** Opens a session. If the reply is lost, the server keeps an empty session. */
    openSession: (body: Body<"POST /api/v1/sessions">, { signal }: Waiting) =>
      ask("POST /api/v1/sessions", Session, { body, signal }),

    /** Returns the evidence for the work in a session's worktree. */
    evidence: (id: string, worktree: string | undefined, { signal }: Waiting = {}) =>
      ask("GET /api/v1/sessions/{id}/worktree/evidence", WorkEvidence, { path: { id }, query: { worktree }, signal }),

    /** Answers a question. Throws `question_answered` if it has already been answered. */
    answer: (
      { sessionId: id, questionId: question }: { sessionId: string; questionId: string },
      body: Body<"POST /api/v1/sessions/{id}/questions/{question}/answer">,
      { signal }: Waiting = {},
    ) => ask("POST /api/v1/sessions/{id}/questions/{question}/answer", Sent, { path: { id, question }, body, signal }),

    tree: async (workspace_id: string, { signal }: Waiting = {}) =>
      (await ask("GET /workspace/tree", Tree, { query: { workspace_id }, signal })).nodes,

    /** Waits until the zip of the workspace is ready. Returns a temporary URL that needs no credentials. */
    async downloadUrl(workspace_id: string, { signal }: { signal: AbortSignal }): Promise<URL> {
      const LinkOrNot = z.union([Link, Preparing])
      let link = await ask("GET /workspace/download", LinkOrNot, { query: { workspace_id, link: true }, signal })
      while ("status_url" in link) {
        await clock.sleep(link.retry_after_seconds * 1000, { signal })
        link = await follow(LinkOrNot, { path: link.status_url, signal })
      }
      return connection.resolve(link.url)
    },

    /** Returns the chat about a session's files, with its newest messages. */
    chat: (id: string, { signal }: Waiting = {}) =>
      ask("GET /api/v1/sessions/{id}/chat", Chat, { path: { id }, query: {}, signal }),

    /** Lists the chat's files. For a repository, these are the files as they were last read. */
    chatFiles: (id: string, { signal }: Waiting) =>
      ask("GET /api/v1/sessions/{id}/chat/files", ChatFiles.loose(), { path: { id }, signal }),

    /** Starts reading the files in a session's repository. */
    readFiles: (id: string, { signal }: Waiting) =>
      ask("POST /api/v1/sessions/{id}/chat/files", z.unknown(), { path: { id }, signal }),
  }
}
