import { z } from "@hono/zod-openapi"
import type { AppDeps } from "../deps.ts"

/** URL for downloading a file. Anyone who has the URL can use it. */
export const Link = z.object({ url: z.url(), expires_at: z.iso.datetime() }).openapi("Link")
export type Link = z.infer<typeof Link>

/** Maximum size of a response that works on every deployment. Larger files are served by the blob store. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const LINK_SECONDS = 900
export const ARCHIVE_NAME = "generated_project.zip"

/** Signs a link to a zip that has been created. */
export async function linkToArchive({ blobs, clock }: Pick<AppDeps, "blobs" | "clock">, key: string): Promise<Link> {
  const expiresAt = clock.now() + LINK_SECONDS * 1000
  const link = { expiresInSeconds: LINK_SECONDS, filename: ARCHIVE_NAME, contentType: "application/zip" }
  const url = await blobs.signedUrl(key, link)
  return { url, expires_at: new Date(expiresAt).toISOString() }
}
