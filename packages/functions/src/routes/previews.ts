import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import { findPreviewPage, type PreviewPage } from "@switchyard/core/sessions/preview"
import { SessionPreview } from "@switchyard/core/sessions/schema"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { principal } from "../http/request.ts"
import { answers, createRoutes } from "../http/routing.ts"
import { flag, SessionId } from "../http/schemas.ts"

const ABOUT = `Whoever has \`url\` sees the files with it, without logging in, until the session is deleted. Without \`seq\` it always shows the
newest files: load it again after each \`workspace_committed\`.`

export const routes = {
  get: createRoute({
    method: "get",
    path: "/api/v1/sessions/{id}/preview",
    tags: ["sessions"],
    summary: "Get the address at which a browser shows a session's files as a web page",
    description: ABOUT,
    request: {
      params: SessionId,
      query: z.object({
        seq: z.coerce.number().int().min(1).max(1e14).optional().describe("The files as they were at this event"),
        external: flag.describe("Whether the page may load things of other sites"),
      }),
    },
    responses: answers(SessionPreview, "The address, or the reason why there is none"),
  }),
}

/** Previews of what sessions have built. */
export function previewRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }

  /** The origin of the preview, or the reason why the browser can't have one. */
  function originFor(c: Context, { sid, state }: SessionHandle, { seq }: PreviewPage, external: boolean) {
    if (!deps.previews) return { reason: DEPLOYED }
    const grant = { sid, incarnation: state.session.incarnation, seq, external }
    const origin = deps.previews.originFor(grant, c.req.header("host") ?? "")
    return origin === undefined ? { reason: ELSEWHERE } : { origin }
  }

  return createRoutes().openapi(routes.get, async (c) => {
    const { seq, external } = c.req.valid("query")
    const session = await deps.sessions.find(principal(c).owner, c.req.valid("param").id, options)
    const page = await findPreviewPage(deps, session, seq, options)
    const { version, entry } = page
    const { origin, reason } = originFor(c, session, page, external)
    if (entry === null || origin === undefined) {
      return c.json({ available: false, reason: reason ?? NO_PAGE, url: null, entry, version }, 200)
    }
    const url = new URL(entry.split("/").map(encodeURIComponent).join("/"), origin).href
    return c.json({ available: true, reason: null, url: url.replace(/\/index\.html$/, "/"), entry, version }, 200)
  })
}

const NO_PAGE = "There is no index.html among the files."
const DEPLOYED = "This installation has no address of its own for previews. Download the files to open them."
const ELSEWHERE =
  "Previews are only shown on the machine that the server runs on: open the studio at http://localhost there."
