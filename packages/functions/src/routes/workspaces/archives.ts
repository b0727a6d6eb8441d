import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { Archive } from "@switchyard/core/files/archives/archive-job"
import { isLive } from "@switchyard/core/kernel/state"
import { readAll } from "@switchyard/core/storage/blobs"
import { attachment } from "@switchyard/core/storage/content-disposition"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { ARCHIVE_NAME, Link, linkToArchive, MAX_ANSWER_BYTES } from "../../http/archive-link.ts"
import { principal, workspaceOf } from "../../http/request.ts"
import { answers, BinaryBody, createRoutes, endpointsOf, unchecked } from "../../http/routing.ts"
import { flag, WorkspaceHeaders, WorkspaceQuery } from "../../http/schemas.ts"

const endpoint = endpointsOf("workspace")
const Preparing = z
  .object({ status: z.literal("preparing"), status_url: z.string(), retry_after_seconds: z.int() })
  .openapi("Preparing")

const RETRY_AFTER_SECONDS = 2

/** An empty zip file: only the end-of-central-directory record. */
const EMPTY_ZIP = new Uint8Array(Buffer.concat([Buffer.from("PK\x05\x06"), Buffer.alloc(18)]))

const linkOrZip = {
  200: {
    description:
      "The zip, after the redirect, or at once if `Accept` has `application/zip` and the zip is at most 4 MB; with `link=1`, the link and its expiry",
    content: { "application/zip": { schema: BinaryBody }, "application/json": { schema: Link } },
  },
}
const preparing = answers(
  Preparing,
  "Not ready yet: poll `status_url` (also in `Location`) until it returns a link",
  202,
)
const request = { query: WorkspaceQuery, headers: WorkspaceHeaders }

export const routes = {
  download: endpoint.get("/workspace/download", {
    summary: "Download the files as a zip; a deployed server first builds a large zip in the background",
    request: { ...request, query: WorkspaceQuery.extend({ link: flag }) },
    responses: {
      ...linkOrZip,
      ...preparing,
      302: { description: "Redirect to the file" },
    },
  }),
  archive: endpoint.get("/workspace/archives/{archive}", {
    summary: "Get the status of a zip that is being built",
    request: { ...request, params: z.object({ archive: z.string().regex(/^[0-9a-f]{64}$/) }) },
    responses: { ...answers(Link, "The link and its expiry"), ...preparing },
  }),
}

/** Serves downloads of a workspace. */
export function archiveRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }

  const view = (c: Context) => deps.sessions.view(principal(c).owner, workspaceOf(c), options)

  function pending(c: Context, workspaceId: string, { manifest }: Extract<Archive, { made: false }>) {
    const status_url = `/workspace/archives/${manifest}?workspace_id=${encodeURIComponent(workspaceId)}`
    const headers = { Location: status_url, "Retry-After": String(RETRY_AFTER_SECONDS) }
    return c.json({ status: "preparing" as const, status_url, retry_after_seconds: RETRY_AFTER_SECONDS }, 202, headers)
  }

  /**
   * Responds to a download from a workspace that doesn't exist. Throws if the client wants a link, because there is no
   * file to link to.
   */
  function emptyZip(c: Context, asLink: boolean) {
    if (asLink) throw new AppError("workspace_not_found", "There is no workspace with this ID.")
    return zip(c, EMPTY_ZIP)
  }

  function zip(c: Context, bytes: Uint8Array<ArrayBuffer>) {
    const headers = { "Content-Type": "application/zip", "Content-Disposition": attachment(ARCHIVE_NAME) }
    return unchecked(c.body(bytes, 200, headers))
  }

  /**
   * Returns the zip itself if the client's `Accept` header asks for it, for clients that don't follow redirects.
   * Returns undefined if the zip is too large.
   */
  async function zipAskedFor(c: Context, key: string) {
    if (!/\bapplication\/zip\b/i.test(c.req.header("accept") ?? "")) return undefined
    const found = await deps.blobs.head(key, options)
    const source = found && found.sizeBytes <= MAX_ANSWER_BYTES ? await deps.blobs.get(key, options) : undefined
    return source && zip(c, new Uint8Array(await readAll(source)))
  }

  return createRoutes()
    .openapi(routes.download, async (c) => {
      const { session, sessionId } = await view(c)
      const { link: asLink } = c.req.valid("query")
      if (!isLive(session.state)) return emptyZip(c, asLink)
      const archive = await deps.archives.request(session, options)
      if (!archive.made) return pending(c, sessionId, archive)
      const asked = asLink ? undefined : await zipAskedFor(c, archive.key)
      if (asked) return asked
      const link = await linkToArchive(deps, archive.key)
      return asLink ? c.json(link, 200) : c.redirect(link.url, 302)
    })
    .openapi(routes.archive, async (c) => {
      const { session, sessionId } = await view(c)
      const archive = await deps.archives.find(session, c.req.valid("param").archive, options)
      if (!archive) throw new AppError("workspace_not_found", "This archive was never requested.")
      return archive.made ? c.json(await linkToArchive(deps, archive.key), 200) : pending(c, sessionId, archive)
    })
}
