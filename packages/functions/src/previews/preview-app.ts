import { Readable } from "node:stream"
import type { FileEntry } from "@switchyard/core/files/workspaces/manifest"
import { isWorkspacePath } from "@switchyard/core/files/workspaces/path"
import { openPreview, type Preview, type PreviewDeps } from "@switchyard/core/sessions/previews/preview"
import type { PreviewGrant } from "@switchyard/core/sessions/previews/preview-host"
import { readAll } from "@switchyard/core/storage/blobs"
import { type Context, Hono } from "hono"
import { getMimeType } from "hono/utils/mime"
import type { Previews } from "./previews.ts"
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
 * Serves the files of sessions to browsers, each at the host of its own preview, and nothing else. No request is anybody's
 * here: cookies and tokens are neither read nor set, and the name of the host is all that it takes.
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
    const host = c.req.header(hostHeader) ?? ""
    const grant = previews.grantOf(host)
    const preview = grant && (await openPreview(deps, grant, { signal }))
    if (!grant || !preview)
      return c.text("There is no preview at this address, or its session was deleted.", 404, BASE_HEADERS)
    const studio = previews.studioOrigins(host)
    const headers = headersOf(grant, studio)
    for (const [name, value] of Object.entries(headers)) c.header(name, value)
    if (preview === "server") return sendFromServer(c, grant, headers)
    if (c.req.method !== "GET" && c.req.method !== "HEAD")
      return c.text("Previews only serve files.", 405, { Allow: "GET, HEAD" })
    return sendOwn(c, grant) ?? sendFile(c, preview)
  })

  /** The answer to what is asked of every preview alike. */
  function sendOwn(c: Context, grant: PreviewGrant): Response | undefined {
    // It would go on answering in place of later versions.
    if (c.req.header("service-worker")) return c.text("Service workers are off in previews.", 403)
    if (c.req.path !== REPORTER_PATH) return undefined
    const studio = previews.studioOrigins(c.req.header(hostHeader) ?? "")
    return c.body(reporterCode(studio, grant), 200, { "Content-Type": JAVASCRIPT })
  }

  async function sendFromServer(c: Context, grant: PreviewGrant, headers: Record<string, string>): Promise<Response> {
    const own = sendOwn(c, grant)
    if (own) return own
    const socket = previews.serverSocket?.(grant)
    if (socket === undefined || !proxy)
      return c.text("The project's server isn't running. Start it in the studio.", 503)
    return proxy(c.req.raw, { socket, headers, edit, signal }).catch(() => {
      return c.text("The project's server doesn't answer.", 502)
    })
  }

  async function sendFile(c: Context, preview: Preview): Promise<Response> {
    const path = pathOf(c)
    const found = path === undefined ? undefined : findFile(preview, path)
    if (found === "folder") return c.redirect(`${new URL(c.req.url).pathname}/`, 302)
    if (!found) return c.text("There is no file at this path.", 404)
    const type = typeOf(found.path, found.file)
    const head = c.req.method === "HEAD"
    if (type.startsWith("text/html") && found.file.size <= MAX_EDITED_BYTES) {
      const html = withReporter(await readAll(await preview.read(found.file, { signal })))
      return c.body(html, 200, { "Content-Type": type })
    }
    const headers = { "Content-Type": type, "Content-Length": String(found.file.size) }
    // Once opened, a blob must be read, and nobody reads the body of a HEAD.
    const content = head ? [] : await preview.read(found.file, { signal })
    return c.body(Readable.toWeb(Readable.from(content)) as ReadableStream, 200, headers)
  }

  return app
}

/** The decoded path in the workspace, with a slash at the end where the URL has one; undefined where that is no path. */
function pathOf(c: Context): string | undefined {
  try {
    return decodeURIComponent(new URL(c.req.url).pathname).slice(1)
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
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Origin-Agent-Cluster": "?1",
  "X-DNS-Prefetch-Control": "off",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=()",
}

function headersOf({ external }: PreviewGrant, studio: string[]): Record<string, string> {
  return { ...BASE_HEADERS, "Content-Security-Policy": previewPolicy({ external, studio }) }
}

/**
 * The policy of a previewed page. It may do with its own files what it likes. Other sites are told nothing, unless the reader
 * allowed it: a page could send them what is typed into it, and the files. Nobody but the studio may frame it, and it opens no
 * window and leaves its frame for none.
 */
function previewPolicy({ external, studio }: { external: boolean; studio: string[] }): string {
  const own = "'self' 'unsafe-inline' 'unsafe-eval' data: blob:"
  return [
    `default-src ${own}${external ? " https: wss:" : ""}`,
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    `frame-ancestors 'self' ${studio.join(" ")}`,
    "sandbox allow-scripts allow-same-origin allow-forms allow-modals allow-downloads allow-pointer-lock",
  ].join("; ")
}
