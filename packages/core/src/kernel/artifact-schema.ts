import * as z from "zod"

/** Reference to a text stored outside the log. Unlike a large field, the text isn't loaded with its event. */
export const ArtifactRef = z.object({
  path: z.string().describe("Relative to `/api/v1/sessions/{id}/`"),
  sha256: z.string(),
  size: z.int().nonnegative().describe("In bytes"),
})
export type ArtifactRef = z.infer<typeof ArtifactRef>
