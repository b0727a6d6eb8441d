import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { readImageHeader } from "@switchyard/core/files/images/image-header"
import { isBinary } from "@switchyard/core/files/workspaces/blob-store"
import { findArtifact } from "@switchyard/core/sessions/artifacts"
import { attachment } from "@switchyard/core/storage/content-disposition"
import type { AppDeps } from "../../deps.ts"
import { MAX_ANSWER_BYTES } from "../../http/archive-link.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("sessions")

const LINK_SECONDS = 900

const TEXT = "text/plain; charset=utf-8"
const BYTES = "application/octet-stream"

export const routes = {
  get: endpoint.get("/api/v1/sessions/{id}/artifacts/{sha256}", {
    summary: "Get a file from any version of a session's workspace, by its hash",
    request: {
      params: SessionId.extend({ sha256: z.string().max(200) }),
      query: z.object({ filename: z.string().min(1).max(255).optional().describe("File name for the download") }),
    },
    responses: {
      ...answers(z.string(), ""),
      200: {
        description: "The file",
        content: {
          [TEXT]: { schema: z.string() },
          [BYTES]: { schema: z.string() },
          "image/png": { schema: z.string() },
          "image/jpeg": { schema: z.string() },
          "image/gif": { schema: z.string() },
          "image/webp": { schema: z.string() },
        },
      },
      302: { description: "Redirect to the file, if it is larger than 4 MB" },
      304: { description: "Not modified" },
    },
  }),
}

/**
 * Returns the content type. Images in these formats keep their type, because browsers can't mistake them for a page or
 * script. All other files are sent as plain text or bytes.
 */
function typeOf(bytes: Buffer): string {
  return readImageHeader(bytes)?.mediaType ?? (isBinary(bytes) ? BYTES : TEXT)
}

/** Serves the files stored next to a session's log. */
export function artifactRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }

  return createRoutes().openapi(routes.get, async (c): Promise<Response> => {
    const { id, sha256 } = c.req.valid("param")
    const { filename } = c.req.valid("query")
    const session = await deps.sessions.find(principal(c).owner, id, options)
    const found = await findArtifact(deps, session, sha256, options)
    if (!found) throw new AppError("not_found", "This session has no artifact with this hash.")
    if (found.sizeBytes > MAX_ANSWER_BYTES) {
      const link = { expiresInSeconds: LINK_SECONDS, filename: filename ?? sha256, contentType: BYTES }
      return c.redirect(await deps.blobs.signedUrl(found.key, link), 302)
    }
    const headers = {
      ETag: `"${sha256}"`,
      // Make the browser revalidate on every use, so that it can't show the file after the user has logged out.
      "Cache-Control": "private, no-cache",
      // A model generated this content, so browsers must never run it as part of our origin.
      "Content-Security-Policy": "sandbox; default-src 'none'",
      ...(filename !== undefined && { "Content-Disposition": attachment(filename) }),
    }
    if (c.req.header("if-none-match") === headers.ETag) return c.body(null, 304, headers)
    const bytes = await found.read(options)
    return c.body(bytes, 200, { ...headers, "Content-Type": typeOf(bytes) })
  })
}
