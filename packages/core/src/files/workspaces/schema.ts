import * as z from "zod"

/** Effect of a commit on one path, as listed in its event. Changes without an effect are omitted. */
export const CommittedChange = z.object({
  op: z.enum(["write", "delete", "rename", "make_folder"]),
  path: z.string(),
  from_path: z.string().optional(),
  sha256: z.string().optional(),
  size_bytes: z.number().optional(),
  mode: z.number().optional(),
  /** True if the written bytes aren't text. */
  binary: z.boolean().optional(),
  in_repository: z
    .boolean()
    .optional()
    .describe("Set for a deletion if the worktree still has the file as it is in the repository"),
})
export type CommittedChange = z.infer<typeof CommittedChange>

/** The restore that created a version, as listed in its commit. */
export const Restoration = z.object({
  version: z.int().nonnegative().describe("Version whose content was restored"),
  path: z.string().optional().describe("The only restored file; absent if all files were restored"),
})
export type Restoration = z.infer<typeof Restoration>

/** A file or folder in a tree. Folders come first, and entries are sorted by name, ignoring case. */
export interface TreeNode {
  name: string
  path: string
  type: "file" | "directory"
  /** File size in bytes. */
  size?: number
  children?: TreeNode[]
}
export const TreeNode: z.ZodType<TreeNode, TreeNode> = z
  .lazy(() =>
    z.object({
      name: z.string(),
      path: z.string(),
      type: z.enum(["file", "directory"]),
      size: z.int().nonnegative().optional(),
      children: z.array(TreeNode).optional(),
    }),
  )
  .meta({ id: "TreeNode" })
