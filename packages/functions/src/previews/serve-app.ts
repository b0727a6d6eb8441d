import { Readable } from "node:stream"
import type { FileEntry } from "@switchyard/core/files/workspaces/manifest"
import type { OpenApp, OpenedApp } from "@switchyard/core/sessions/apps/app-store"
import { readAll } from "@switchyard/core/storage/blobs"
import type { Context } from "hono"
import { parseRange } from "../http/byte-range.ts"
import { opaqueEdit, standInScript } from "./opaque/opaque-pages.ts"
import { BASE_HEADERS, NOTHING_HEADERS, OPAQUE_HEADERS, OWN_HOST_HEADERS, PREFLIGHT_HEADERS } from "./page-headers.ts"
import type { FoundApp, Previews } from "./previews.ts"
import { REPORTER_PATH } from "./reporter.ts"
import { findFile, findPage, isNavigation, JAVASCRIPT, MAX_EDITED_BYTES, pathOf, typeOf } from "./served-files.ts"

export interface AppServerDeps {
  openApp: OpenApp
  previews: Pick<Previews, "opaque">
}

/**
 * Responds to a request for a published app. Anyone who knows the app's address may read it, so requests aren't
 * authenticated, and cookies are neither read nor set.
 */
export async function serveApp(
  deps: AppServerDeps,
  c: Context,
  found: FoundApp,
  options: { signal: AbortSignal },
): Promise<Response> {
  const { opaque } = deps.previews
  const app = await deps.openApp(found.name, options)
  if (!app) return c.text("No app is published at this address.", 404, opaque ? NOTHING_HEADERS : GONE_HEADERS)
  for (const [name, value] of Object.entries(appHeaders(opaque))) c.header(name, value)
  if (opaque && c.req.method === "OPTIONS") return c.body(null, 204, PREFLIGHT_HEADERS)
  if (c.req.method !== "GET" && c.req.method !== "HEAD")
    return c.text("Published apps only serve files.", 405, { Allow: "GET, HEAD" })
  // A service worker would keep serving the app after it was unpublished.
  if (c.req.header("service-worker")) return c.text("Service workers are disabled in published apps.", 403)
  if (found.path === "") return c.redirect(found.address, 302)
  if (opaque && found.path === REPORTER_PATH)
    return c.body(standInScript(found.address), 200, { "Content-Type": JAVASCRIPT })
  const path = pathOf(found)
  const asked =
    path === undefined ? undefined : (findFile(app, path) ?? (isNavigation(c.req.raw) && findPage(app, path)))
  if (asked === "folder") return c.redirect(`${new URL(c.req.url).pathname}/`, 302)
  if (!asked) return c.text("There is no file at this path.", 404)
  return sendFile(c, app, { ...asked, found, opaque }, options)
}

interface Asked {
  path: string
  file: FileEntry
  found: FoundApp
  opaque: boolean
}

async function sendFile(
  c: Context,
  app: OpenedApp,
  { path, file, found, opaque }: Asked,
  options: { signal: AbortSignal },
): Promise<Response> {
  const type = typeOf(path, file)
  const edit = opaque && file.size <= MAX_EDITED_BYTES ? opaqueEdit(type, found) : undefined
  const headers: Record<string, string> = { "Content-Type": type, ETag: `"${file.sha256.slice(0, 32)}"` }
  if (c.req.header("if-none-match")?.includes(file.sha256.slice(0, 32))) return c.body(null, 304, headers)
  const range = edit ? undefined : parseRange(c.req.header("range"), file.size)
  if (range === "unsatisfiable") return c.body(null, 416, { "Content-Range": `bytes */${file.size}` })
  const status = range ? 206 : 200
  if (edit === undefined) {
    const { start, end } = range ?? { start: 0, end: file.size - 1 }
    headers["Accept-Ranges"] = "bytes"
    headers["Content-Length"] = String(end - start + 1)
    if (range) headers["Content-Range"] = `bytes ${start}-${end}/${file.size}`
    // Don't open the blob for HEAD, because an opened blob must be read to the end.
    if (c.req.method === "HEAD") return c.body(null, status, headers)
  }
  const content = await app.read(file, { ...(range && { range }), ...options })
  if (!content) return c.text("The app has just changed. Reload the page.", 404)
  if (edit) return c.body(edit(await readAll(content)), status, headers)
  return c.body(Readable.toWeb(Readable.from(content)) as ReadableStream, status, headers)
}

/**
 * Headers of an app's files. The next publication changes the files at the same address, so browsers must check for a
 * new version every time. Without that check, a file could also become a service worker, because the request for it
 * wouldn't reach the server.
 */
const FILE_HEADERS = { ...BASE_HEADERS, "Cache-Control": "no-cache", "X-Robots-Tag": "noindex" }

/**
 * Headers of a host that doesn't serve an app, or no longer does. They make the browser delete an earlier app's data,
 * except cookies: deleting cookies would also delete the cookies of other apps in the same domain.
 */
const GONE_HEADERS = { ...NOTHING_HEADERS, "Clear-Site-Data": '"cache", "storage"' }

/**
 * Returns the headers for an app. An app may use the network like any web page, because it is public and contains no
 * session data. Other sites can't frame it. Apps on a shared host have no origin, so that no app can read what another
 * app stores.
 */
function appHeaders(opaque: boolean): Record<string, string> {
  if (!opaque) return { ...FILE_HEADERS, ...OWN_HOST_HEADERS, "Content-Security-Policy": POLICY }
  const sandbox = "sandbox allow-scripts allow-forms allow-modals allow-downloads allow-pointer-lock allow-popups"
  return { ...FILE_HEADERS, ...OPAQUE_HEADERS, "Content-Security-Policy": `${POLICY}; ${sandbox}` }
}

const POLICY = "object-src 'none'; frame-ancestors 'none'"
