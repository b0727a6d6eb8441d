import * as z from "zod"

/** The effect of a commit on one path, in its event. A change without effect is left out. */
export const CommittedChange = z.object({
  op: z.enum(["write", "delete", "rename", "make_folder"]),
  path: z.string(),
  /** The path before a rename. */
  from_path: z.string().optional(),
  sha256: z.string().optional(),
  size_bytes: z.number().optional(),
  mode: z.number().optional(),
  /** Whether the bytes that were written are no text. */
  binary: z.boolean().optional(),
  in_repository: z
    .boolean()
    .optional()
    .describe("Of a deletion after which the file is still in the worktree, the same as in the repository"),
})
export type CommittedChange = z.infer<typeof CommittedChange>

/** A file or a folder as a tree shows it: folders come first, then by name whatever its case. */
export interface TreeNode {
  name: string
  path: string
  type: "file" | "directory"
  /** Bytes of a file. */
  size?: number
  /** The content of a folder. */
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
