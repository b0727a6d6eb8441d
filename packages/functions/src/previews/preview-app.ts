import { Readable } from "node:stream"
import { openPreview, type Preview, type PreviewDeps } from "@switchyard/core/sessions/previews/preview"
import { readAll } from "@switchyard/core/storage/blobs"
import { shownMessage } from "@switchyard/core/system-faults"
import { type Context, Hono } from "hono"
import { opaqueEdit, opaqueReporter } from "./opaque/opaque-pages.ts"
import { BASE_HEADERS, NOTHING_HEADERS, OPAQUE_HEADERS, OWN_HOST_HEADERS, PREFLIGHT_HEADERS } from "./page-headers.ts"
import type { FoundPreview, Previews } from "./previews.ts"
import { DRAWING_PATH, drawingCode, REPORTER_PATH, reporterCode, withReporter } from "./reporter.ts"
import { type AppServerDeps, serveApp } from "./serve-app.ts"
import { findFile, findPage, isNavigation, JAVASCRIPT, MAX_EDITED_BYTES, pathOf, typeOf } from "./served-files.ts"

export interface PreviewAppDeps extends PreviewDeps, Pick<AppServerDeps, "openApp"> {
  previews: Previews
  /** Header that contains the host name that the browser requested. */
  hostHeader: string
  /** Forwards a request to a project's server. */
  proxy?: (request: Request, options: ServerRequest) => Promise<Response>
  report(error: unknown): void
  /** Aborts when the server stops. */
  stopping: AbortSignal
}

/** A request to a project's server. */
export interface ServerRequest {
  /** Socket that the project's server listens on. */
  socket: string
  /** Headers that override the headers from the project's server. */
  headers: Record<string, string>
  /** Edits pages of up to `maxBytes`. */
  edit: { maxBytes: number; page: (html: Buffer) => Buffer<ArrayBuffer> }
  signal: AbortSignal
}

/**
 * Serves session files and nothing else. Each session has its own preview address. Requests have no user: cookies and
 * tokens are neither read nor set, and anyone who knows the address may read the files.
 */
export function createPreviewApp(deps: PreviewAppDeps): Hono {
  const { previews, hostHeader, proxy, stopping: signal } = deps
  const edit = { maxBytes: MAX_EDITED_BYTES, page: withReporter }
  const app = new Hono()
  app.onError((error, c) => {
    deps.report(error)
    return c.text(shownMessage(error), 500)
  })
  app.all("*", async (c) => {
    const [host, { pathname }] = [c.req.header(hostHeader) ?? "", new URL(c.req.url)]
    const published = previews.findApp(host, pathname)
    if (published) return serveApp(deps, c, published, { signal })
    const found = previews.find(host, pathname)
    const preview = found && (await openPreview(deps, found.grant, { signal }))
    if (!found || !preview)
      return c.text("There is no preview at this address, or its session was deleted.", 404, NOTHING_HEADERS)
    const headers = headersOf(found, previews.opaque)
    for (const [name, value] of Object.entries(headers)) c.header(name, value)
    if (preview === "server") return sendFromServer(c, found, headers)
    if (previews.opaque && c.req.method === "OPTIONS") return c.body(null, 204, PREFLIGHT_HEADERS)
    if (c.req.method !== "GET" && c.req.method !== "HEAD")
      return c.text("Previews only serve files.", 405, { Allow: "GET, HEAD" })
    return sendOwn(c, found) ?? sendFile(c, found, preview)
  })

  /** Answers the requests that every preview handles in the same way. Returns undefined for all other requests. */
  function sendOwn(c: Context, found: FoundPreview): Response | undefined {
    // A service worker would keep serving this version after newer versions exist.
    if (c.req.header("service-worker")) return c.text("Service workers are disabled in previews.", 403)
    if (found.path === DRAWING_PATH) return c.body(drawingCode(), 200, { "Content-Type": JAVASCRIPT })
    if (found.path !== REPORTER_PATH) return undefined
    const code = previews.opaque ? opaqueReporter(found) : reporterCode(found, false)
    return c.body(code, 200, { "Content-Type": JAVASCRIPT })
  }

  async function sendFromServer(c: Context, found: FoundPreview, headers: Record<string, string>): Promise<Response> {
    const own = sendOwn(c, found)
    if (own) return own
    const socket = previews.serverSocket?.(found.grant)
    if (socket === undefined || !proxy)
      return c.text("The project's server isn't running. Start it in the studio.", 503)
    const answer = await proxy(c.req.raw, { socket, headers, edit, signal }).catch(() => undefined)
    if (!answer) return c.text("The project's server isn't responding.", 502)
    if (!leadsElsewhere(answer, found)) return answer
    await answer.body?.cancel()
    return c.text("The project's server redirects to another site, which this preview may not contact.", 403)
  }

  async function sendFile(c: Context, found: FoundPreview, preview: Preview): Promise<Response> {
    const path = pathOf(found)
    const isPage = isNavigation(c.req.raw)
    const asked = path === undefined ? undefined : (findFile(preview, path) ?? (isPage && findPage(preview, path)))
    if (asked === "folder") return c.redirect(`${new URL(c.req.url).pathname}/`, 302)
    if (!asked) return c.text("There is no file at this path.", 404)
    const { file } = asked
    const type = typeOf(asked.path, file)
    const edited = file.size <= MAX_EDITED_BYTES ? editOf(type, found) : undefined
    if (edited) {
      const content = edited(await readAll(await preview.read(file, { signal })))
      return c.body(content, 200, { "Content-Type": type })
    }
    const head = c.req.method === "HEAD"
    const headers = { "Content-Type": type, "Content-Length": String(file.size) }
    // Don't open the blob for HEAD: an opened blob must be read to the end, but a HEAD response has no body.
    const content = head ? [] : await preview.read(file, { signal })
    return c.body(Readable.toWeb(Readable.from(content)) as ReadableStream, 200, headers)
  }

  /** Returns the function that edits files of this type, or undefined if they are sent unchanged. */
  function editOf(type: string, found: FoundPreview): ((file: Buffer) => Buffer<ArrayBuffer>) | undefined {
    if (previews.opaque) return opaqueEdit(type, found)
    return type.startsWith("text/html") ? withReporter : undefined
  }

  return app
}

/**
 * Restricts connections that a content security policy doesn't cover at all, or not in a separate tab: WebRTC,
 * speculation rules, and navigation to another site. Chromium has enforced this header since version 152. It exempts
 * redirects, which `leadsElsewhere` handles.
 */
const OWN_CONNECTIONS = { "Connection-Allowlist": "(response-origin);redirects=allow;webrtc=block" }

function headersOf(found: FoundPreview, opaque: boolean): Record<string, string> {
  const policy = previewPolicy(found, opaque)
  const kind = opaque ? OPAQUE_HEADERS : OWN_HOST_HEADERS
  const connections = found.grant.external ? {} : OWN_CONNECTIONS
  return { ...BASE_HEADERS, ...kind, ...connections, "Content-Security-Policy": policy }
}

/** True if a project's server redirects to another site although the preview may not contact any. */
function leadsElsewhere({ status, headers }: Response, { grant, address }: FoundPreview): boolean {
  const location = headers.get("location")
  if (grant.external || location === null || status < 300 || status > 399) return false
  return URL.parse(location, address)?.origin !== new URL(address).origin
}

/**
 * Returns the policy for a previewed page. The page may use its own files freely. It can't contact other sites unless
 * the user allowed it, because it could send them the files and the user's input. Only the studio may frame the page,
 * and the page can't open windows or leave its frame. If previews share a host, the policy also keeps their pages from
 * sharing an origin.
 */
function previewPolicy({ grant, address, studioOrigins }: FoundPreview, opaque: boolean): string {
  const files = opaque ? address : "'self'"
  const own = `${files} 'unsafe-inline' 'unsafe-eval' data: blob:`
  return [
    `default-src ${own}${grant.external ? " https: wss:" : ""}`,
    "object-src 'none'",
    `base-uri ${files}`,
    `form-action ${files}`,
    `frame-ancestors ${opaque ? "" : "'self' "}${studioOrigins.join(" ")}`,
    `sandbox allow-scripts ${opaque ? "" : "allow-same-origin "}allow-forms allow-modals allow-downloads allow-pointer-lock`,
  ].join("; ")
}
