import { Readable } from "node:stream"
import type { FileEntry } from "@switchyard/core/files/workspaces/manifest"
import { isWorkspacePath } from "@switchyard/core/files/workspaces/path"
import { openPreview, type Preview, type PreviewDeps } from "@switchyard/core/sessions/previews/preview"
import { readAll } from "@switchyard/core/storage/blobs"
import { type Context, Hono } from "hono"
import { getMimeType } from "hono/utils/mime"
import { opaquePage, opaqueReporter, opaqueStyles } from "./opaque/opaque-pages.ts"
import type { FoundPreview, Previews } from "./previews.ts"
import { REPORTER_PATH, reporterCode, withReporter } from "./reporter.ts"

/** Larger pages go out as they are, without the script that reports their errors. */
const MAX_EDITED_BYTES = 4 * 1024 * 1024

export interface PreviewAppDeps extends PreviewDeps {
  previews: Previews
  /** The header that has the name under which a browser asked. */
  hostHeader: string
  /** Passes a request on to a project's own server. */
  proxy?: (request: Request, options: ServerRequest) => Promise<Response>
  report(error: unknown): void
  /** Aborted when the server stops. */
  stopping: AbortSignal
}

/** A request for a project's own server. */
export interface ServerRequest {
  /** The socket at which the project's server is reached. */
  socket: string
  /** Headers that the answer has whatever the server says. */
  headers: Record<string, string>
  /** Edits a page of at most so many bytes. */
  edit: { maxBytes: number; page: (html: Buffer) => Buffer<ArrayBuffer> }
  signal: AbortSignal
}

/**
 * Serves the files of sessions to browsers, each at the address of its own preview, and nothing else. No request is anybody's
 * here: cookies and tokens are neither read nor set, and the address is all that it takes.
 */
export function createPreviewApp(deps: PreviewAppDeps): Hono {
  const { previews, hostHeader, proxy, stopping: signal } = deps
  const edit = { maxBytes: MAX_EDITED_BYTES, page: withReporter }
  const app = new Hono()
  app.onError((error, c) => {
    deps.report(error)
    return c.text("Something went wrong.", 500)
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

  /** The answer to what is asked of every preview alike. */
  function sendOwn(c: Context, found: FoundPreview): Response | undefined {
    // It would go on answering in place of later versions.
    if (c.req.header("service-worker")) return c.text("Service workers are off in previews.", 403)
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
    return proxy(c.req.raw, { socket, headers, edit, signal }).catch(() => {
      return c.text("The project's server doesn't answer.", 502)
    })
  }

  async function sendFile(c: Context, found: FoundPreview, preview: Preview): Promise<Response> {
    const path = pathOf(found)
    const asked = path === undefined ? undefined : findFile(preview, path)
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
    // Once opened, a blob must be read, and nobody reads the body of a HEAD.
    const content = head ? [] : await preview.read(file, { signal })
    return c.body(Readable.toWeb(Readable.from(content)) as ReadableStream, 200, headers)
  }

  /** The edit of files of a type on their way; undefined for those that go out as they are. */
  function editOf(type: string, found: FoundPreview): ((file: Buffer) => Buffer<ArrayBuffer>) | undefined {
    if (type.startsWith("text/html")) return previews.opaque ? (page) => opaquePage(page, found) : withReporter
    return previews.opaque && type.startsWith("text/css") ? (css) => opaqueStyles(css, found) : undefined
  }

  return app
}

/** The decoded path in the workspace, with a slash at the end where the URL has one; undefined where that is no path. */
function pathOf({ path }: FoundPreview): string | undefined {
  try {
    return decodeURIComponent(path).slice(1)
  } catch {
    return undefined
  }
}

/** The file of a path, or its folder's `index.html`. A folder needs a slash at its end, or what is in it isn't found. */
function findFile(preview: Preview, path: string): { path: string; file: FileEntry } | "folder" | undefined {
  const file = /(^|\/)$/.test(path) ? `${path}index.html` : path
  if (!isWorkspacePath(file)) return undefined
  const found = preview.stat(file)
  if (found?.type === "directory") return "folder"
  return found && { path: file, file: found }
}

function typeOf(path: string, { binary }: FileEntry): string {
  // By its ending, TypeScript is a video.
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

/** A page without an origin is another one to its own files. Without the address, nobody finds them. */
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

function headersOf(found: FoundPreview, opaque: boolean): Record<string, string> {
  const policy = previewPolicy(found, opaque)
  return { ...BASE_HEADERS, ...(opaque ? OPAQUE_HEADERS : OWN_HOST_HEADERS), "Content-Security-Policy": policy }
}

/**
 * The policy of a previewed page. It may do with its own files what it likes. Other sites are told nothing, unless the reader
 * allowed it: a page could send them what is typed into it, and the files. Nobody but the studio may frame it, and it opens no
 * window and leaves its frame for none. Where others have the same host, it is kept from being of one origin with them.
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
