import * as z from "zod"
import { DiffQuery, ReviewQuery } from "./diff-schema.ts"
import { FilesQuery } from "./files-schema.ts"
import {
  CompleteRequest,
  MergeRequest,
  type MergeResult,
  PushRequest,
  type PushResult,
  ResolveRequest,
  UndoRequest,
  UpdateRequest,
} from "./merge-schema.ts"
import { type CreatedWorktree, CreateWorktree, type Deleted, DeleteRequest, type Reset } from "./schema.ts"
import { SnapshotQuery, WriteFiles, type WrittenFiles } from "./snapshot-schema.ts"

/**
 * A change to a worktree, requested by a client. It must comply with the session's rules before a runner executes it.
 */
export const WorktreeCommand = z.discriminatedUnion("command", [
  CreateWorktree.extend({ command: z.literal("create"), reset: z.boolean().optional() }),
  MergeRequest.extend({ command: z.literal("merge") }),
  UpdateRequest.extend({ command: z.literal("update") }),
  z.object({ command: z.literal("resolve"), resolution: ResolveRequest }),
  CompleteRequest.extend({ command: z.literal("complete") }),
  z.object({ command: z.literal("abort") }),
  UndoRequest.extend({ command: z.literal("undo") }),
  z.object({ command: z.literal("reset") }),
  DeleteRequest.extend({ command: z.literal("delete") }),
  z.object({ command: z.literal("confirm_deletions") }),
  PushRequest.extend({ command: z.literal("push") }),
  WriteFiles.extend({ command: z.literal("write") }),
])
export type WorktreeCommand = z.infer<typeof WorktreeCommand>

/** A command that git executes entirely. */
export type WorktreeChange = Exclude<WorktreeCommand, { command: "confirm_deletions" | "write" }>

export type WorktreeAnswer = CreatedWorktree | MergeResult | Reset | Deleted | PushResult | WrittenFiles

/** A shell for a person in the worktree, where agents may be working at the same time. */
export const ShellRequest = z
  .object({ rows: z.int().min(2).max(500).default(24), cols: z.int().min(10).max(500).default(80) })
  .meta({ id: "ShellRequest" })
export type ShellRequest = z.infer<typeof ShellRequest>

/** A query that only the worktree's runner can answer. */
export const WorktreeQuery = z.discriminatedUnion("question", [
  z.object({ question: z.literal("status") }),
  z.object({ question: z.literal("branches") }),
  DiffQuery.extend({ question: z.literal("diff") }),
  DiffQuery.extend({ question: z.literal("full_diff") }),
  ReviewQuery.extend({ question: z.literal("review") }),
  FilesQuery.extend({ question: z.literal("files") }),
  z.object({ question: z.literal("conflicts") }),
  z.object({ question: z.literal("conflict"), path: z.string() }),
  ShellRequest.extend({ question: z.literal("shell") }),
  SnapshotQuery.extend({ question: z.literal("snapshot") }),
])
export type WorktreeQuery = z.infer<typeof WorktreeQuery>

/** A query answered by git. */
export type GitQuery = Exclude<WorktreeQuery, { question: "shell" | "snapshot" }>
