import * as z from "zod"

/** Reference to a text stored outside of the log. Unlike a large field, it isn't loaded with its event. */
export const ArtifactRef = z.object({
  path: z.string().describe("Relative to `/api/v1/sessions/{id}/`"),
  sha256: z.string(),
  size: z.int().nonnegative().describe("In bytes"),
})
export type ArtifactRef = z.infer<typeof ArtifactRef>
