import * as z from "zod"

/** What a commit did to one path, as its event says it. */
export const CommittedChange = z.object({
  op: z.enum(["write", "delete", "rename", "make_folder"]),
  path: z.string(),
  /** Where a rename came from. */
  from_path: z.string().optional(),
  sha256: z.string().optional(),
  size_bytes: z.number().optional(),
})
export type CommittedChange = z.infer<typeof CommittedChange>
