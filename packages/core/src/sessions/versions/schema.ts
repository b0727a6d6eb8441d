import * as z from "zod"
import { Restoration } from "../../files/workspaces/schema.ts"
import { DiffFile } from "../../files/worktrees/diff-schema.ts"
import { RunStatus } from "../../work/runs/schema.ts"

/** Version number in a path. */
export const VersionNumber = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

export const Version = z
  .object({
    version: z.int().positive(),
    previous: z
      .int()
      .nonnegative()
      .describe("Version that it followed; 0 for none. A run's commits count as one version"),
    seq: z.int().describe("Event of the commit"),
    created_at: z.iso.datetime(),
    author: z.enum(["run", "person", "restore"]).describe("What made it"),
    run: z
      .object({ run_id: z.string(), kind: z.string(), request: z.string(), status: RunStatus })
      .nullable()
      .describe("The run that made it"),
    restores: Restoration.nullable(),
    files_added: z.int().nonnegative(),
    files_changed: z.int().nonnegative().describe("Includes renamed files"),
    files_deleted: z.int().nonnegative(),
    file: z
      .object({ path: z.string(), sha256: z.string().nullable(), size_bytes: z.int().nonnegative().nullable() })
      .optional()
      .describe("With `path`: the file in this version. Its hash and size are null if this version deleted it"),
  })
  .meta({ id: "Version" })
export type Version = z.infer<typeof Version>

export const VersionList = z
  .object({
    current: z.int().nonnegative().describe("Newest version; 0 if the session has no files yet"),
    versions: z.array(Version),
    next: z.int().nullable().describe("`before` for the next page; null on the last page"),
  })
  .meta({ id: "VersionList" })
export type VersionList = z.infer<typeof VersionList>

export const VersionComparison = z
  .object({
    from: z.int().nonnegative(),
    to: z.int().nonnegative(),
    files_changed: z.int().nonnegative(),
    insertions: z.int().nonnegative().describe("Lines, without files that are marked as too large"),
    deletions: z.int().nonnegative(),
    complete: z.boolean().describe("False if more files changed than are listed"),
    files: z.array(DiffFile),
  })
  .meta({ id: "VersionComparison" })
export type VersionComparison = z.infer<typeof VersionComparison>

export const RestoreRequest = z
  .object({
    path: z.string().min(1).optional().describe("Restores only this file. By default, all files"),
    if_version: z
      .int()
      .nonnegative()
      .optional()
      .describe("Restores only if this is still the newest version. Otherwise returns 409 and changes nothing"),
  })
  .meta({ id: "RestoreRequest" })
export type RestoreRequest = z.infer<typeof RestoreRequest>

export const Restored = z
  .object({
    restored: z.int().nonnegative(),
    version: z.int().nonnegative().describe("Newest version: the new one, or the current one if nothing had to change"),
    previous: z.int().nonnegative().describe("Version before the restore. Restore it to undo"),
    changed: z.boolean().describe("False if the files already had this content"),
  })
  .meta({ id: "Restored" })
export type Restored = z.infer<typeof Restored>
