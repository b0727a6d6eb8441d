import { Readable } from "node:stream"
import type { FileEntry } from "@switchyard/core/files/workspaces/manifest"
import { isWorkspacePath } from "@switchyard/core/files/workspaces/path"
import { openPreview, type Preview, type PreviewDeps } from "@switchyard/core/sessions/previews/preview"
import { readAll } from "@switchyard/core/storage/blobs"
import { shownMessage } from "@switchyard/core/system-faults"
import { type Context, Hono } from "hono"
import { getMimeType } from "hono/utils/mime"
import { opaquePage, opaqueReporter, opaqueStyles } from "./opaque/opaque-pages.ts"
import type { FoundPreview, Previews } from "./previews.ts"
import { REPORTER_PATH, reporterCode, withReporter } from "./reporter.ts"

/** Maximum size of an edited page. Larger pages are sent unchanged, so their errors aren't reported. */
const MAX_EDITED_BYTES = 4 * 1024 * 1024

export interface PreviewAppDeps extends PreviewDeps {
  previews: Previews
  /** Header that contains the host name requested by the browser. */
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
  /** Headers that override those from the project's server. */
  headers: Record<string, string>
  /** Edits pages of up to `maxBytes`. */
  edit: { maxBytes: number; page: (html: Buffer) => Buffer<ArrayBuffer> }
  signal: AbortSignal
}

/**
 * Serves nothing but session files, each session at the address of its own preview. Requests have no user: cookies and
 * tokens are neither read nor set, and knowing the address is the permission.
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
    const found = previews.find(c.req.header(hostHeader) ?? "", new URL(c.req.url).pathname)
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

  /** Answers the requests that all previews handle in the same way. Returns undefined for other requests. */
  function sendOwn(c: Context, found: FoundPreview): Response | undefined {
    // A service worker would keep serving this version after later ones exist.
    if (c.req.header("service-worker")) return c.text("Service workers are disabled in previews.", 403)
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
    // Don't open the blob for HEAD: an opened blob must be read, but a HEAD response has no body.
    const content = head ? [] : await preview.read(file, { signal })
    return c.body(Readable.toWeb(Readable.from(content)) as ReadableStream, 200, headers)
  }

  /** Returns how files of a type are edited, or undefined if they are sent unchanged. */
  function editOf(type: string, found: FoundPreview): ((file: Buffer) => Buffer<ArrayBuffer>) | undefined {
    if (type.startsWith("text/html")) return previews.opaque ? (page) => opaquePage(page, found) : withReporter
    return previews.opaque && type.startsWith("text/css") ? (css) => opaqueStyles(css, found) : undefined
  }

  return app
}

/** Decodes the path in the workspace, keeping a trailing slash. Returns undefined for an invalid path. */
function pathOf({ path }: FoundPreview): string | undefined {
  try {
    return decodeURIComponent(path).slice(1)
  } catch {
    return undefined
  }
}

/**
 * Finds the file at a path, or the folder's `index.html`. A folder needs a trailing slash, or its relative links break.
 */
function findFile(preview: Preview, path: string): { path: string; file: FileEntry } | "folder" | undefined {
  const file = /(^|\/)$/.test(path) ? `${path}index.html` : path
  if (!isWorkspacePath(file)) return undefined
  const found = preview.stat(file)
  if (found?.type === "directory") return "folder"
  return found && { path: file, file: found }
}

/** True if a browser loads the response as a page, rather than as a part of one. */
function isNavigation({ headers }: Request): boolean {
  const mode = headers.get("sec-fetch-mode")
  return mode === null ? (headers.get("accept") ?? "").includes("text/html") : mode === "navigate"
}

/**
 * Finds the page for a route of a single-page app: the `index.html` of the nearest folder above. A path with an
 * extension is a file, and not a route.
 */
function findPage(preview: Preview, path: string): { path: string; file: FileEntry } | undefined {
  if (/\.[^/]*$/.test(path)) return undefined
  const folders = path.split("/")
  while (folders.pop() !== undefined) {
    const found = findFile(preview, [...folders, ""].join("/"))
    if (found && found !== "folder") return found
  }
  return undefined
}

function typeOf(path: string, { binary }: FileEntry): string {
  // Going by the extension, TypeScript would be a video.
  const known = /\.[cm]?tsx?$/i.test(path) ? undefined : getMimeType(path)
  return known ?? (binary ? "application/octet-stream" : "text/plain; charset=utf-8")
}

const JAVASCRIPT = "text/javascript; charset=utf-8"

const BASE_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "Origin-Agent-Cluster": "?1",
  "X-DNS-Prefetch-Control": "off",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=()",
}

const OWN_HOST_HEADERS = {
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
}

/**
 * Headers that let a page without an origin read its own files, which are cross-origin to it. The files are protected
 * by their address, which can't be guessed.
 */
const OPAQUE_HEADERS = {
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Access-Control-Allow-Origin": "null",
}

const PREFLIGHT_HEADERS = {
  "Access-Control-Allow-Methods": "GET, HEAD",
  "Access-Control-Allow-Headers": "*",
}

const NOTHING_HEADERS = {
  ...BASE_HEADERS,
  ...OWN_HOST_HEADERS,
  "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
}

/**
 * Connections that a content security policy doesn't cover, or not in a tab of its own: WebRTC, speculation rules, and
 * leaving for another site. Chromium has enforced this header since version 152. It exempts redirects, see
 * `leadsElsewhere`.
 */
const OWN_CONNECTIONS = { "Connection-Allowlist": "(response-origin);redirects=allow;webrtc=block" }

function headersOf(found: FoundPreview, opaque: boolean): Record<string, string> {
  const policy = previewPolicy(found, opaque)
  const kind = opaque ? OPAQUE_HEADERS : OWN_HOST_HEADERS
  const connections = found.grant.external ? {} : OWN_CONNECTIONS
  return { ...BASE_HEADERS, ...kind, ...connections, "Content-Security-Policy": policy }
}

/** True if a project's server redirects to another site, although the preview may not contact any. */
function leadsElsewhere({ status, headers }: Response, { grant, address }: FoundPreview): boolean {
  const location = headers.get("location")
  if (grant.external || location === null || status < 300 || status > 399) return false
  return URL.parse(location, address)?.origin !== new URL(address).origin
}

/**
 * Returns the policy for a previewed page. The page may use its own files freely. Unless the reader allowed it, the
 * page can't contact other sites, because it could send them the files and the user's input. Only the studio may frame
 * the page, and the page can't open windows or leave its frame. If previews share a host, the policy keeps pages from
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
