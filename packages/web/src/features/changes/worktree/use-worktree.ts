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
const pathOf = (sessionId: string, rest = "") => `/api/v1/sessions/${encodeURIComponent(sessionId)}/worktree${rest}`
const named = (path: string) => `?path=${encodeURIComponent(path)}`

/** What takes longer than a request may: where its result will be. */
const Pending = z.object({
  command_id: z.string(),
  status: z.literal("pending"),
  links: z.object({ result: z.string() }),
})
type Pending = z.infer<typeof Pending>

/** What is asked of the server, each part by itself: one that fails leaves the others standing. */
export function worktreeQueries(api: Api, sessionId: string) {
  const one = <T>(schema: z.ZodType<T>, path: string, ...key: string[]) =>
    queryOptions({
      queryKey: keyOf(sessionId, ...key),
      queryFn: ({ signal }) => {
        const either = z.union([Pending, schema])
        return answered(api, schema, api.get(pathOf(sessionId, path), either, { signal }), signal)
      },
      staleTime: 60_000,
      refetchOnWindowFocus: false,
    })
  return {
    status: one(WorktreeStatus, "", "status"),
    diff: one(DiffSummary, "/diff", "diff"),
    all: one(FullDiff, "/diff/full", "all"),
    /** Only for what `all` leaves out: a runner has to look at it. */
    large: (path: string) => one(FullDiff, `/diff/full${named(path)}`, "large", path),
    branches: one(Branches, "/branches", "branches"),
    // Never kept for the next merge: nobody is to choose between regions of the one before.
    conflicts: { ...one(Conflicts, "/conflicts", "conflicts"), gcTime: 0 },
    conflict: (path: string) => ({ ...one(ConflictFile, `/conflicts${named(path)}`, "conflict", path), gcTime: 0 }),
  }
}

/** The worktree and its list of changed files. Both are asked for again when it has changed, and stay shown until then. */
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

/** What can be done with the worktree. Whatever comes of it, what is shown is asked for again. */
export function useWorktreeActions(sessionId: string) {
  const { api } = useStudio()
  const client = useQueryClient()
  const onSettled = () => askAgain(client, sessionId)
  const send = <T>(schema: z.ZodType<T>, path: string, body: unknown = {}) =>
    answered(api, schema, api.send("POST", pathOf(sessionId, path), z.union([Pending, schema]), { body }))
  return {
    create: useMutation({
      mutationFn: () => send(WorktreeStatus, ""),
      onSettled,
    }),
    merge: useMutation({
      mutationFn: (asked: MergeRequest) => send(MergeResult, "/merge", asked),
      onSettled,
    }),
    update: useMutation({
      mutationFn: () => send(MergeResult, "/update"),
      onSettled,
    }),
    resolve: useMutation({
      mutationFn: (asked: ResolveRequest) => send(MergeResult, "/resolve-conflicts", asked),
      onSettled,
    }),
    complete: useMutation({
      mutationFn: (asked: CompleteRequest) => send(MergeResult, "/complete-merge", asked),
      onSettled,
    }),
    abort: useMutation({
      mutationFn: () => send(MergeResult, "/abort-merge"),
      onSettled,
    }),
    reset: useMutation({ mutationFn: () => send(Reset, "/reset"), onSettled }),
    push: useMutation({
      mutationFn: (asked: PushRequest) => send(PushResult, "/push", asked),
      onSettled,
    }),
    confirmDeletions: useMutation({ mutationFn: () => send(ConfirmedDeletions, "/confirm-deletions"), onSettled }),
    remove: useMutation({
      mutationFn: () => answered(api, Deleted, api.send("DELETE", pathOf(sessionId), z.union([Pending, Deleted]))),
      onSettled,
    }),
  }
}

export type WorktreeActions = ReturnType<typeof useWorktreeActions>

function askAgain(client: QueryClient, sessionId: string): Promise<void> {
  return client.invalidateQueries({ queryKey: keyOf(sessionId) })
}

/** The answer itself, however long it takes: every time it is asked for, the server waits a while before it says not yet. */
async function answered<T>(
  api: Api,
  schema: z.ZodType<T>,
  first: Promise<Pending | T>,
  signal?: AbortSignal,
): Promise<T> {
  let answer = await first
  while (isPending(answer)) answer = await api.get(answer.links.result, z.union([Pending, schema]), { signal })
  return answer
}

function isPending(answer: unknown): answer is Pending {
  return typeof answer === "object" && answer !== null && "command_id" in answer && "links" in answer
}
