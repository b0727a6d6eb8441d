import { createHash } from "node:crypto"
import { AppError } from "@switchyard/core/errors"
import { type Context, Hono } from "hono"
import type { AppDeps } from "../../deps.ts"
import { pageHeaders, STUDIO_PATHS, type StudioFiles, studioPolicy } from "../../http/studio.ts"

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
  woff2: "font/woff2",
}

/** Serves the studio: its page, its assets (with content hashes in their names), and a few other files. */
export function studioRoutes({ studio }: Pick<AppDeps, "studio">): Hono {
  const app = new Hono()
  for (const path of STUDIO_PATHS) app.get(path, (c) => sendStudioPage(studio, c))
  app.get("/assets/*", (c) => sendFile(c, "public, max-age=31536000, immutable"))
  app.get("/:file{[a-z0-9-]+\\.(?:svg|ico|png|webmanifest|txt)}", (c) => sendFile(c, "public, max-age=3600"))

  async function sendFile(c: Context, cacheControl: string): Promise<Response> {
    const name = c.req.path.slice(1)
    const type = TYPES[name.split(".").at(-1) ?? ""]
    const file = type && (await studio?.read(name, { accepts: accepted(c) }))
    if (!file) throw new AppError("not_found", "Not found.")
    return c.body(file.bytes, 200, {
      "Content-Type": type,
      "Cache-Control": cacheControl,
      // A web worker is governed by the policy sent with its own file, not by the page's policy.
      "Content-Security-Policy": studioPolicy([], { host: c.req.header("host") }),
      "Cross-Origin-Resource-Policy": "same-origin",
      Vary: "Accept-Encoding",
      ...encodingOf(file),
    })
  }

  return app
}

/** Sends the studio's page, which does its own routing. */
export async function sendStudioPage(studio: StudioFiles | undefined, c: Context): Promise<Response> {
  const plain = await studio?.read("index.html")
  if (!plain) return c.html(NOT_BUILT, 503)
  const html = plain.bytes.toString()
  const headers = {
    ...pageHeaders(html, { host: c.req.header("host") }),
    "Cache-Control": "no-cache",
    ETag: `"${createHash("sha256").update(plain.bytes).digest("hex").slice(0, 32)}"`,
    "Last-Modified": new Date(plain.modifiedAt).toUTCString(),
    Vary: "Accept-Encoding",
  }
  if (isNotModified(c, headers.ETag)) return c.body(null, 304, headers)
  const file = (await studio?.read("index.html", { accepts: accepted(c) })) ?? plain
  return c.body(file.bytes, 200, { ...headers, "Content-Type": "text/html; charset=utf-8", ...encodingOf(file) })
}

/**
 * True if a browser is navigating to this address and the address isn't an API path. Only browsers send the header
 * `Sec-Fetch-Dest`.
 */
export function isPageVisit(c: Context): boolean {
  const { method, path } = c.req
  return method === "GET" && c.req.header("sec-fetch-dest") === "document" && !API.test(path)
}

const API = /^\/(api|v1|ws|workspace|assets|blobs)(\/|$)/

/**
 * True if the browser already has this version. Weak ETags match too, because proxies make an ETag weak when they
 * compress the response.
 */
function isNotModified(c: Context, etag: string): boolean {
  const known = c.req.header("if-none-match")?.split(",") ?? []
  return known.some((each) => each.trim().replace(/^W\//, "") === etag)
}

function encodingOf({ encoding }: { encoding?: string }): Record<string, string> {
  return encoding === undefined ? {} : { "Content-Encoding": encoding }
}

function accepted(c: Context): (encoding: string) => boolean {
  const offers = (c.req.header("accept-encoding") ?? "").toLowerCase().split(",")
  const names = offers.flatMap((offer) => {
    const [name = "", ...parameters] = offer.split(";").map((part) => part.trim())
    return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [name]
  })
  return (encoding) => names.includes(encoding)
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Switchyard</title>
<p>The studio isn't built here: <code>npm start</code> builds it. The API is described at <a href="/api/docs">/api/docs</a>.</p>
</html>
`
