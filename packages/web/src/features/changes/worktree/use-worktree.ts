import type { WorktreeCommand } from "@switchyard/core/files/worktrees/command-schema"
import { ConflictFile, Conflicts } from "@switchyard/core/files/worktrees/conflict-schema"
import { DiffSummary, FullDiff } from "@switchyard/core/files/worktrees/diff-schema"
import {
  type CompleteRequest,
  type MergeRequest,
  MergeResult,
  type PushRequest,
  PushResult,
  type ResolveRequest,
  type UndoRequest,
} from "@switchyard/core/files/worktrees/merge-schema"
import { PullRequest } from "@switchyard/core/files/worktrees/pull-request-schema"
import { Branches, ConfirmedDeletions, Deleted, Reset, WorktreeStatus } from "@switchyard/core/files/worktrees/schema"
import { WorkEvidence } from "@switchyard/core/work/verification/evidence-schema"
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query"
import { createContext, useContext, useEffect, useMemo, useRef } from "react"
import * as z from "zod"
import { type Api, ApiError } from "../../../api/client.ts"
import { anything } from "../../../api/decode.ts"
import { useChange } from "../../../session/context/requests.ts"
import { workOf } from "../../../session/stream/view.ts"
import type { WorkView } from "../../../session/stream/work.ts"
import { useSessionData, useShownSession } from "../../../session/view/use-session.ts"

const keyOf = (sessionId: string, ...rest: string[]) => ["worktree", sessionId, ...rest]

const MAIN = "main"

/** Name of the worktree whose changes are shown. */
export const ShownWorktree = createContext(MAIN)

/** Returns path and query for requests about a worktree. `main` is the default, so it is left out. */
function aboutOf(sessionId: string, worktree: string): Pick<Call<unknown>, "path" | "query"> {
  return { path: { id: sessionId }, query: worktree === MAIN ? {} : { worktree } }
}

/** Response to a command that takes longer than its request: a link to the result. */
const Pending = z.object({
  command_id: z.string(),
  status: z.literal("pending"),
  links: z.object({ result: z.string() }),
})
type Pending = z.infer<typeof Pending>

const OpenedShell = z.object({ pty: z.string() })

const pendingOr = <T>(schema: z.ZodType<T>) => z.union([Pending, schema])

interface Call<T> {
  path: { id: string }
  query: { worktree?: string }
  response: z.ZodType<Pending | T>
  signal?: AbortSignal
}

/** Returns one query per part, so that a failing one doesn't affect the others. */
export function useWorktreeQueries() {
  const { sessionId, api } = useShownSession()
  const worktree = useContext(ShownWorktree)
  return useMemo(() => worktreeQueries(api, sessionId, worktree), [api, sessionId, worktree])
}

function worktreeQueries(api: Api, sessionId: string, worktree: string) {
  const about = aboutOf(sessionId, worktree)
  const one = <T>(schema: z.ZodType<T>, key: string[], send: (call: Call<T>) => Promise<Pending | T>) =>
    queryOptions({
      queryKey: keyOf(sessionId, worktree, ...key),
      queryFn: ({ signal }) => pollResult(api, schema, send({ ...about, response: pendingOr(schema), signal }), signal),
      staleTime: 60_000,
      refetchOnWindowFocus: false,
    })
  return {
    status: one(WorktreeStatus, ["status"], (call) => api.call("GET /api/v1/sessions/{id}/worktree", call)),
    diff: one(DiffSummary, ["diff"], (call) => api.call("GET /api/v1/sessions/{id}/worktree/diff", call)),
    all: one(FullDiff, ["all"], (call) => api.call("GET /api/v1/sessions/{id}/worktree/diff/full", call)),
    /** Only for files that `all` leaves out, because it needs a runner. */
    large: (path: string) =>
      one(FullDiff, ["large", path], (call) =>
        api.call("GET /api/v1/sessions/{id}/worktree/diff/full", { ...call, query: { ...about.query, path } }),
      ),
    evidence: queryOptions({
      queryKey: keyOf(sessionId, worktree, "evidence"),
      queryFn: ({ signal }) =>
        api.call("GET /api/v1/sessions/{id}/worktree/evidence", { ...about, response: WorkEvidence, signal }),
      staleTime: 60_000,
    }),
    branches: one(Branches, ["branches"], (call) => api.call("GET /api/v1/sessions/{id}/worktree/branches", call)),
    // Never cached, because the regions of an earlier merge must not be offered again.
    conflicts: {
      ...one(Conflicts, ["conflicts"], (call) => api.call("GET /api/v1/sessions/{id}/worktree/conflicts", call)),
      gcTime: 0,
    },
    conflict: (path: string) => ({
      ...one(ConflictFile, ["conflict", path], (call) =>
        api.call("GET /api/v1/sessions/{id}/worktree/conflicts", { ...call, query: { ...about.query, path } }),
      ),
      gcTime: 0,
    }),
  }
}

/**
 * Returns the worktree's status and diff summary. Both are refetched after a change; the old ones are shown until the
 * new ones arrive.
 */
export function useWorktree(changedAt: number) {
  const { sessionId } = useShownSession()
  const client = useQueryClient()
  const queries = useWorktreeQueries()
  useOnChange(changedAt, () => client.invalidateQueries({ queryKey: keyOf(sessionId) }))
  const status = useQuery(queries.status)
  const diff = useQuery({ ...queries.diff, enabled: status.data?.exists === true })
  return { status, diff }
}

/** Returns the evidence for the work, refetched whenever the log reports a change to it or to the worktree. */
export function useEvidence({ changedSeq, evidenceSeq }: Pick<WorkView, "changedSeq" | "evidenceSeq">) {
  const client = useQueryClient()
  const { evidence } = useWorktreeQueries()
  useOnChange(Math.max(changedSeq, evidenceSeq), () => client.invalidateQueries({ queryKey: evidence.queryKey }))
  return useQuery(evidence)
}

/** Refetches whenever `seq`, the last event about what is shown, has changed. */
function useOnChange(seq: number, refetch: () => void): void {
  const seen = useRef(seq)
  useEffect(() => {
    if (seen.current !== seq) refetch()
    seen.current = seq
  })
}

/** Commands on the worktree. Each one invalidates the worktree's queries, whatever its outcome. */
export function useWorktreeActions() {
  const { sessionId, api } = useShownSession()
  const worktree = useContext(ShownWorktree)
  const all = keyOf(sessionId)
  const about = aboutOf(sessionId, worktree)
  const useAct = <T, V = void>(schema: z.ZodType<T>, send: (call: Call<T>, given: V) => Promise<Pending | T>) =>
    useChange((_, given: V) => pollResult(api, schema, send({ ...about, response: pendingOr(schema) }, given)), all)
  return {
    create: useAct(WorktreeStatus, (call) => api.call("POST /api/v1/sessions/{id}/worktree", { ...call, body: {} })),
    merge: useAct(MergeResult, (call, body: MergeRequest) =>
      api.call("POST /api/v1/sessions/{id}/worktree/merge", { ...call, body }),
    ),
    update: useAct(MergeResult, (call) =>
      api.call("POST /api/v1/sessions/{id}/worktree/update", { ...call, body: {} }),
    ),
    resolve: useAct(MergeResult, (call, body: ResolveRequest) =>
      api.call("POST /api/v1/sessions/{id}/worktree/resolve-conflicts", { ...call, body }),
    ),
    complete: useAct(MergeResult, (call, body: CompleteRequest) =>
      api.call("POST /api/v1/sessions/{id}/worktree/complete-merge", { ...call, body }),
    ),
    askAgent: useChange(
      () => api.call("POST /api/v1/sessions/{id}/worktree/ask-agent", { ...about, body: {}, response: anything }),
      all,
    ),
    openShell: useAct(OpenedShell, (call) =>
      api.call("POST /api/v1/sessions/{id}/worktree/shell", { ...call, body: {} }),
    ),
    abort: useAct(MergeResult, (call) =>
      api.call("POST /api/v1/sessions/{id}/worktree/abort-merge", { ...call, body: {} }),
    ),
    undo: useAct(MergeResult, (call, body: UndoRequest) =>
      api.call("POST /api/v1/sessions/{id}/worktree/undo-merge", { ...call, body }),
    ),
    reset: useAct(Reset, (call) => api.call("POST /api/v1/sessions/{id}/worktree/reset", { ...call, body: {} })),
    push: useAct(PushResult, (call, body: PushRequest) =>
      api.call("POST /api/v1/sessions/{id}/worktree/push", { ...call, body }),
    ),
    openPullRequest: useChange(
      (_, body: { title?: string; draft: boolean }) =>
        api.call("POST /api/v1/sessions/{id}/worktree/pull-request", { ...about, body, response: PullRequest }),
      all,
    ),
    confirmDeletions: useAct(ConfirmedDeletions, (call) =>
      api.call("POST /api/v1/sessions/{id}/worktree/confirm-deletions", { ...call, body: {} }),
    ),
    remove: useAct(Deleted, (call) => api.call("DELETE /api/v1/sessions/{id}/worktree", call)),
  }
}

/**
 * Returns why the latest of these commands failed. Unlike a mutation's error, it is still known after a reload, and to
 * other viewers.
 */
export function useCommandFailure(...commands: WorktreeCommand["command"][]): ApiError | null {
  const worktree = useContext(ShownWorktree)
  const failure = useSessionData(({ shown }) => workOf(shown.worktrees, worktree).failure)
  if (!failure || !commands.some((command) => command === failure.command)) return null
  const { code, message, details } = failure.error
  return new ApiError(409, code, message, details)
}

export type WorktreeActions = ReturnType<typeof useWorktreeActions>

/** Polls for the result. The server holds each request for a while before it responds with "pending". */
async function pollResult<T>(
  api: Api,
  schema: z.ZodType<T>,
  first: Promise<Pending | T>,
  signal?: AbortSignal,
): Promise<T> {
  let result = await first
  while (isPending(result)) result = await api.follow(result.links.result, pendingOr(schema), { signal })
  return result
}

function isPending(result: unknown): result is Pending {
  return typeof result === "object" && result !== null && "command_id" in result && "links" in result
}
