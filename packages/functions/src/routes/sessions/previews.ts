import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import { findPreviewPage, type PreviewPage } from "@switchyard/core/sessions/previews/preview"
import type { PreviewGrant } from "@switchyard/core/sessions/previews/preview-grant"
import {
  endServerPreview,
  findStartCommand,
  isServerShown,
  SWITCHED_OFF,
  startServerPreview,
} from "@switchyard/core/sessions/previews/server-preview"
import { SessionPreview } from "@switchyard/core/sessions/schema"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { flag, SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("sessions")

const ABOUT = `\`url\` grants access to the files without logging in, until the session is deleted. Without \`seq\`, it
always shows the latest files: reload it after each \`workspace_committed\`.`

const ABOUT_SERVER = `Installs, builds and starts a clean copy of the files in the session's runner, in a sandbox
without network access. \`server_preview_ready\` is sent when the server responds. It restarts with each new version,
unless \`seq\` is set. It stops after 15 minutes without requests.`

const Seq = z.coerce.number().int().min(1).max(1e14)

const PreviewQuery = z.object({
  seq: Seq.optional().describe("Shows the files as of this event"),
  external: flag.describe("True if the page may load content from other sites"),
})

const NewServerPreview = z
  .object({
    seq: Seq.optional().describe("Runs the files as of this event instead of the latest"),
    consent: z
      .boolean()
      .default(false)
      .describe(
        "Consents to running the built project on this machine from now on. Needed only once, and only on a local server",
      ),
  })
  .openapi("NewServerPreview")

export const routes = {
  get: endpoint.get("/api/v1/sessions/{id}/preview", {
    summary: "Get the address of a session's preview, a web page",
    description: ABOUT,
    request: {
      params: SessionId,
      query: PreviewQuery,
    },
    responses: answers(SessionPreview, "The address, or why there is none"),
  }),
  start: endpoint.post("/api/v1/sessions/{id}/preview/server", {
    summary: "Build and start a session's own server, for a preview",
    description: ABOUT_SERVER,
    request: { params: SessionId, body: jsonBody(NewServerPreview) },
    responses: answers(SessionPreview, "The preview; its server is starting", 202),
  }),
  stop: endpoint.delete("/api/v1/sessions/{id}/preview/server", {
    summary: "Stop a session's own server",
    request: { params: SessionId },
    responses: answers(SessionPreview, "The preview"),
  }),
}

/** Serves previews of built projects. */
export function previewRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }

  /** Returns the preview's address, or the reason why this browser can't open it. */
  function addressFor(c: Context, { sid, state }: SessionHandle, seq: PreviewGrant["seq"], external: boolean) {
    if (!deps.previews) return { reason: NOWHERE }
    const grant = { sid, incarnation: state.session.incarnation, seq, external }
    const address = deps.previews.addressFor(grant, c.req.header("host") ?? "")
    return address === undefined ? { reason: ELSEWHERE } : { address, socket: deps.previews.serverSocket?.(grant) }
  }

  async function describeServer(c: Context, session: SessionHandle, page: PreviewPage, external: boolean) {
    const { owner } = principal(c)
    const command = await findStartCommand(deps, owner, session, page, options)
    const isElsewhere = !deps.previews?.serverSocket || !deps.agents
    if (command === undefined || (command === null && isElsewhere)) return null
    const { address, reason, socket } = addressFor(c, session, "server", external)
    const { stage, version } = session.state.preview
    const isReady = stage === "ready" && socket !== undefined && address !== undefined
    // The preview's server is a child of the runner. If the runner has died, the server has too.
    const status = stage === "ready" && !isReady ? "none" : stage
    const isOff = !(await isServerShown(deps, owner, session.state, options))
    const unavailable = isElsewhere ? DEPLOYED_SERVER : isOff ? SWITCHED_OFF : (reason ?? null)
    return { command, status, version, url: isReady ? address : null, reason: unavailable }
  }

  async function describe(c: Context, session: SessionHandle, { seq, external }: z.infer<typeof PreviewQuery>) {
    const page = await findPreviewPage(deps, session, seq, options)
    const { version, entry, built, needsBuild: needs_build } = page
    const server = await describeServer(c, session, page, external)
    const { address, reason } = addressFor(c, session, page.seq, external)
    const opaque = deps.previews?.opaque ?? false
    const about = { opaque, entry, built, needs_build, version, server }
    if (entry === null || address === undefined || needs_build) {
      const missing = entry === null ? NO_PAGE : whyNotBuilt(entry, version, seq)
      return { ...about, available: false, reason: reason ?? missing, url: null, root: null }
    }
    const path = entry.split("/").map(encodeURIComponent).join("/")
    const url = (address + path).replace(/\/index\.html$/, "/")
    return { ...about, available: true, reason: null, url, root: address }
  }

  const find = (c: Context, id: string) => deps.sessions.find(principal(c).owner, id, options)

  return createRoutes()
    .openapi(routes.get, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      return c.json(await describe(c, session, c.req.valid("query")), 200)
    })
    .openapi(routes.start, async (c) => {
      const { id } = c.req.valid("param")
      const { seq, consent } = c.req.valid("json")
      if (!deps.previews?.serverSocket) throw new AppError("agents_unavailable", DEPLOYED_SERVER)
      const session = await find(c, id)
      await startServerPreview(deps, { owner: principal(c).owner, session, seq, consent }, protectedOptions(c, deps))
      return c.json(await describe(c, await find(c, id), { seq, external: false }), 202)
    })
    .openapi(routes.stop, async (c) => {
      const { id } = c.req.valid("param")
      await endServerPreview(deps, await find(c, id), options)
      return c.json(await describe(c, await find(c, id), { seq: undefined, external: false }), 200)
    })
}

function whyNotBuilt(entry: string, version: number, seq: number | undefined): string {
  if (seq !== undefined) return `Version ${version} must be built first, and no build of it is stored.`
  return `Browsers can't run ${entry} as it is. A check builds the project and stores the page from dist/, build/ or out/.`
}

const NO_PAGE = "The files don't include an index.html."
const NOWHERE = "Previews aren't available on this installation. Download the files to open them."
const ELSEWHERE =
  "Previews are shown only on the machine that runs the server. Open the studio there, at http://localhost."
const DEPLOYED_SERVER =
  "Only a Switchyard server on your own machine can start a project's server for a preview. Here, a check starts it and reports the result."
