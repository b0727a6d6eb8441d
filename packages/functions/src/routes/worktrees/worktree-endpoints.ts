import { z } from "@hono/zod-openapi"
import { Collision } from "@switchyard/core/files/worktrees/collision-schema"
import { ShellRequest } from "@switchyard/core/files/worktrees/command-schema"
import { ConflictFile, Conflicts } from "@switchyard/core/files/worktrees/conflict-schema"
import { DiffQuery, DiffSummary, FullDiff } from "@switchyard/core/files/worktrees/diff-schema"
import {
  CompleteRequest,
  MergeRequest,
  MergeResult,
  PushRequest,
  PushResult,
  ResolveRequest,
  UndoRequest,
  UpdateRequest,
} from "@switchyard/core/files/worktrees/merge-schema"
import { MAIN_WORKTREE, WorktreeName } from "@switchyard/core/files/worktrees/names-schema"
import { PullRequest, PullRequestRequest } from "@switchyard/core/files/worktrees/pull-request-schema"
import {
  Branches,
  ConfirmedDeletions,
  CreatedWorktree,
  CreateWorktree,
  Deleted,
  Reset,
  WorktreeStatus,
} from "@switchyard/core/files/worktrees/schema"
import { WorkEvidence } from "@switchyard/core/work/verification/evidence-schema"
import { answers, endpointsOf, jsonBody } from "../../http/routing.ts"
import { flag, SessionId } from "../../http/schemas.ts"
import { PendingCommand } from "../../http/worktree-commands.ts"

const endpoint = endpointsOf("worktrees")
const BASE = "/api/v1/sessions/{id}/worktree"
const ofSession = { session_id: z.string() }
const worktree = WorktreeName.default(MAIN_WORKTREE).describe("Name of the session's worktree")
const fresh = flag.describe("Reads the repository instead of the last report. Ignored without the scope `run`")

const Keyed = z.object({ "idempotency-key": z.string().min(1).max(255).optional() })

/** Creates the route for a change that the session's runner makes to the worktree. */
function change<P extends string, T extends z.ZodType, A extends z.ZodType>(
  path: P,
  summary: string,
  body: T,
  answer: A,
) {
  // Require a body unless `{}` is valid, because Hono doesn't validate an optional body that is absent.
  const required = !body.safeParse({}).success
  return endpoint.post(`${BASE}${path}`, {
    summary,
    description: "Repeating a request with the same `Idempotency-Key` returns the first one's result.",
    request: {
      params: SessionId,
      query: z.object({ worktree }),
      headers: Keyed,
      body: { ...jsonBody(body), required },
    },
    responses: { ...answers(answer, "The result"), ...answers(PendingCommand, "Still running", 202) },
  })
}

function query<P extends string, T extends z.ZodObject, A extends z.ZodType>(
  path: P,
  summary: string,
  query: T,
  answer: A,
) {
  return endpoint.get(`${BASE}${path}`, {
    summary,
    description:
      "Answered from the last report if possible. Otherwise this needs a runner, and therefore a token with the scope `run`.",
    request: { params: SessionId, query },
    responses: { ...answers(answer, "The current state"), ...answers(PendingCommand, "Still running", 202) },
  })
}

const Collisions = z.object({ collisions: z.array(Collision) }).openapi("Collisions")
const OpenedShell = z.object({ pty: z.string() }).openapi("OpenedShell")
const Nothing = z.object({}).openapi("Empty")
const FreshDiff = DiffQuery.extend({ worktree, fresh })

export const routes = {
  status: query(
    "",
    "Get the session's worktree; `exists` is false if there is none",
    z.object({ worktree, fresh }),
    WorktreeStatus,
  ),
  diff: query("/diff", "List the files changed by the work", FreshDiff, DiffSummary),
  fullDiff: query(
    "/diff/full",
    "Get the changes made by the work, line by line",
    FreshDiff,
    FullDiff.extend(ofSession).openapi("SessionDiff"),
  ),
  branches: query("/branches", "List the repository's branches", z.object({ worktree, fresh }), Branches),
  conflicts: query(
    "/conflicts",
    "List a paused merge's conflicts, or return one file's full texts if a path is given",
    z.object({ worktree, path: z.string().min(1).max(4096).optional() }),
    z.union([Conflicts, ConflictFile]).openapi("ConflictsOrFile"),
  ),
  evidence: endpoint.get(`${BASE}/evidence`, {
    summary: "Get the evidence from checking the work, and whether it is still valid",
    description:
      "Evidence belongs to one commit. It becomes `void` if the agent continues, files change, or the branch moves. Even `valid` evidence can report failed checks.",
    request: { params: SessionId, query: z.object({ worktree }) },
    responses: answers(WorkEvidence, "The evidence"),
  }),
  create: endpoint.post(BASE, {
    summary: "Create the session's worktree if it has none",
    request: {
      params: SessionId,
      query: z.object({
        worktree,
        reset: flag.describe("Recreates the worktree. Work in the old one is kept under a ref"),
      }),
      body: { ...jsonBody(CreateWorktree), required: false },
    },
    responses: {
      ...answers(CreatedWorktree, "Created", 201),
      ...answers(CreatedWorktree, "The session already has a worktree, which is left unchanged", 200),
      ...answers(PendingCommand, "Still running", 202),
    },
  }),
  confirmDeletions: change(
    "/confirm-deletions",
    "Confirm the deletion of files deleted by a task",
    Nothing,
    ConfirmedDeletions,
  ),
  merge: change("/merge", "Merge the work into a branch", MergeRequest, MergeResult),
  update: change("/update", "Merge the target branch into the work", UpdateRequest, MergeResult),
  resolve: change(
    "/resolve-conflicts",
    "Resolve the conflicts in one file, or in all files by choosing one side",
    ResolveRequest,
    MergeResult,
  ),
  complete: change(
    "/complete-merge",
    "Complete the merge once all conflicts are resolved",
    CompleteRequest,
    MergeResult,
  ),
  abort: change("/abort-merge", "Abort a merge", Nothing, MergeResult),
  undo: change(
    "/undo-merge",
    "Undo the last merge if it is still the tip of the target branch",
    UndoRequest,
    MergeResult,
  ),
  reset: change(
    "/reset",
    "Reset the worktree to its starting point, discarding all work",
    Nothing,
    Reset.extend(ofSession).openapi("WorktreeReset"),
  ),
  shell: change("/shell", "Open a shell in the worktree, as one of the session's terminals", ShellRequest, OpenedShell),
  push: change("/push", "Push a branch to the clone's remote", PushRequest, PushResult),
  pullRequest: endpoint.post(`${BASE}/pull-request`, {
    summary: "Push the worktree's branch, and open a pull request for it",
    description:
      "The pull request's text contains the task, the result, and the checks of the pushed commit, which also set the commit's status. If the branch already has an open pull request, that one is updated. Repeating the request never opens a second one.",
    request: {
      params: SessionId,
      query: z.object({ worktree }),
      body: { ...jsonBody(PullRequestRequest), required: false },
    },
    responses: answers(PullRequest, "The pull request"),
  }),
  remove: endpoint.delete(BASE, {
    summary: "Delete the worktree and its branch",
    description:
      "Work that exists nowhere else is kept under a ref in the repository, which is returned as `kept`, unless `discard` is set. Work above 500 MB can't be kept: without `discard`, nothing is deleted and the response is 409 `worktree_conflict`.",
    request: { params: SessionId, query: z.object({ worktree, discard: flag }) },
    responses: {
      ...answers(Deleted.extend(ofSession).openapi("DeletedWorktree"), "The result"),
      ...answers(PendingCommand, "Still running", 202),
    },
  }),
  collisions: endpoint.get("/api/v1/sessions/{id}/collisions", {
    summary: "List pairs of a session's worktrees that would conflict, with the files",
    description:
      "Computed in the background from saved work, at most once a minute per pair. The agents in both worktrees are notified with their next message.",
    request: { params: SessionId },
    responses: answers(Collisions, "The pairs that would conflict"),
  }),
  command: endpoint.get(`${BASE}/commands/{command}`, {
    summary: "Get the result of a command that took longer than its request",
    request: { params: SessionId.extend({ command: z.string().max(100) }) },
    responses: {
      ...answers(z.record(z.string(), z.unknown()), "The result"),
      ...answers(PendingCommand, "Still running", 202),
    },
  }),
}
