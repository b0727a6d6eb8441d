import {
  Branches,
  type CompleteRequest,
  ConfirmedDeletions,
  ConflictFile,
  Conflicts,
  Deleted,
  DiffSummary,
  FullDiff,
  type MergeRequest,
  MergeResult,
  type PushRequest,
  PushResult,
  Reset,
  type ResolveRequest,
  WorktreeStatus,
} from "@switchyard/core/files/worktrees/schema"
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import * as z from "zod"
import type { Api } from "../../../api/client.ts"
import { useStudio } from "../../../session/context/studio.ts"

const keyOf = (sessionId: string, ...rest: string[]) => ["worktree", sessionId, ...rest]

/** The answer to a command that outlasts a request: a link to its result. */
const Pending = z.object({
  command_id: z.string(),
  status: z.literal("pending"),
  links: z.object({ result: z.string() }),
})
type Pending = z.infer<typeof Pending>

const pendingOr = <T>(schema: z.ZodType<T>) => z.union([Pending, schema])

interface Call<T> {
  path: { id: string }
  answer: z.ZodType<Pending | T>
  signal?: AbortSignal
}

/** One query for each part, so that a failing one doesn't affect the others. */
export function worktreeQueries(api: Api, sessionId: string) {
  const one = <T>(schema: z.ZodType<T>, key: string[], ask: (call: Call<T>) => Promise<Pending | T>) =>
    queryOptions({
      queryKey: keyOf(sessionId, ...key),
      queryFn: ({ signal }) => {
        return answered(api, schema, ask({ path: { id: sessionId }, answer: pendingOr(schema), signal }), signal)
      },
      staleTime: 60_000,
      refetchOnWindowFocus: false,
    })
  return {
    status: one(WorktreeStatus, ["status"], (call) => api.call("GET /api/v1/sessions/{id}/worktree", call)),
    diff: one(DiffSummary, ["diff"], (call) => api.call("GET /api/v1/sessions/{id}/worktree/diff", call)),
    all: one(FullDiff, ["all"], (call) => api.call("GET /api/v1/sessions/{id}/worktree/diff/full", call)),
    /** Only for files that `all` leaves out, since it needs a runner. */
    large: (path: string) =>
      one(FullDiff, ["large", path], (call) =>
        api.call("GET /api/v1/sessions/{id}/worktree/diff/full", { ...call, query: { path } }),
      ),
    branches: one(Branches, ["branches"], (call) => api.call("GET /api/v1/sessions/{id}/worktree/branches", call)),
    // Never cached: the regions of an earlier merge must not be offered again.
    conflicts: {
      ...one(Conflicts, ["conflicts"], (call) => api.call("GET /api/v1/sessions/{id}/worktree/conflicts", call)),
      gcTime: 0,
    },
    conflict: (path: string) => ({
      ...one(ConflictFile, ["conflict", path], (call) =>
        api.call("GET /api/v1/sessions/{id}/worktree/conflicts", { ...call, query: { path } }),
      ),
      gcTime: 0,
    }),
  }
}

/** The worktree's status and diff summary. Both are refetched after a change, and shown until the new ones arrive. */
export function useWorktree(sessionId: string, changedAt: number) {
  const { api } = useStudio()
  const client = useQueryClient()
  const queries = worktreeQueries(api, sessionId)
  const seen = useRef(changedAt)
  useEffect(() => {
    if (seen.current === changedAt) return
    seen.current = changedAt
    askAgain(client, sessionId)
  }, [client, sessionId, changedAt])
  const status = useQuery(queries.status)
  const diff = useQuery({
    ...queries.diff,
    enabled: status.data?.exists === true,
  })
  return { status, diff }
}

/** The commands on the worktree. Each invalidates its queries, whatever the outcome. */
export function useWorktreeActions(sessionId: string) {
  const { api } = useStudio()
  const client = useQueryClient()
  const onSettled = () => askAgain(client, sessionId)
  const act = <T>(schema: z.ZodType<T>, ask: (call: Call<T>) => Promise<Pending | T>) =>
    answered(api, schema, ask({ path: { id: sessionId }, answer: pendingOr(schema) }))
  return {
    create: useMutation({
      mutationFn: () =>
        act(WorktreeStatus, (call) => api.call("POST /api/v1/sessions/{id}/worktree", { ...call, body: {} })),
      onSettled,
    }),
    merge: useMutation({
      mutationFn: (body: MergeRequest) =>
        act(MergeResult, (call) => api.call("POST /api/v1/sessions/{id}/worktree/merge", { ...call, body })),
      onSettled,
    }),
    update: useMutation({
      mutationFn: () =>
        act(MergeResult, (call) => api.call("POST /api/v1/sessions/{id}/worktree/update", { ...call, body: {} })),
      onSettled,
    }),
    resolve: useMutation({
      mutationFn: (body: ResolveRequest) =>
        act(MergeResult, (call) =>
          api.call("POST /api/v1/sessions/{id}/worktree/resolve-conflicts", { ...call, body }),
        ),
      onSettled,
    }),
    complete: useMutation({
      mutationFn: (body: CompleteRequest) =>
        act(MergeResult, (call) => api.call("POST /api/v1/sessions/{id}/worktree/complete-merge", { ...call, body })),
      onSettled,
    }),
    abort: useMutation({
      mutationFn: () =>
        act(MergeResult, (call) => api.call("POST /api/v1/sessions/{id}/worktree/abort-merge", { ...call, body: {} })),
      onSettled,
    }),
    reset: useMutation({
      mutationFn: () =>
        act(Reset, (call) => api.call("POST /api/v1/sessions/{id}/worktree/reset", { ...call, body: {} })),
      onSettled,
    }),
    push: useMutation({
      mutationFn: (body: PushRequest) =>
        act(PushResult, (call) => api.call("POST /api/v1/sessions/{id}/worktree/push", { ...call, body })),
      onSettled,
    }),
    confirmDeletions: useMutation({
      mutationFn: () =>
        act(ConfirmedDeletions, (call) =>
          api.call("POST /api/v1/sessions/{id}/worktree/confirm-deletions", { ...call, body: {} }),
        ),
      onSettled,
    }),
    remove: useMutation({
      mutationFn: () => act(Deleted, (call) => api.call("DELETE /api/v1/sessions/{id}/worktree", call)),
      onSettled,
    }),
  }
}

export type WorktreeActions = ReturnType<typeof useWorktreeActions>

function askAgain(client: QueryClient, sessionId: string): Promise<void> {
  return client.invalidateQueries({ queryKey: keyOf(sessionId) })
}

/** Polls for the final answer; the server holds each request for a while before it answers "pending". */
async function answered<T>(
  api: Api,
  schema: z.ZodType<T>,
  first: Promise<Pending | T>,
  signal?: AbortSignal,
): Promise<T> {
  let answer = await first
  while (isPending(answer)) answer = await api.follow(answer.links.result, pendingOr(schema), { signal })
  return answer
}

function isPending(answer: unknown): answer is Pending {
  return typeof answer === "object" && answer !== null && "command_id" in answer && "links" in answer
}
