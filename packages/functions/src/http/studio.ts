import { createHash } from "node:crypto"

/** A built file of the studio. */
export interface StudioFile {
  bytes: Buffer<ArrayBuffer>
  /** Set if the bytes are compressed. */
  encoding?: "br" | "gzip"
  /** Modification time in Unix milliseconds. */
  modifiedAt: number
}

export interface StudioFiles {
  /** Reads the file with this name. Returns the compressed version if there is one and the client accepts it. */
  read(name: string, options?: { accepts?: (encoding: string) => boolean }): Promise<StudioFile | undefined>
}

/** Paths of the studio. All of them return the same page, which does its own routing. */
export const STUDIO_PATHS = [
  "/",
  "/studio",
  "/s/*",
  "/p/*",
  "/needs",
  "/usage",
  "/settings/*",
  "/connect",
  "/login",
  "/about",
  "/docs",
  "/guide",
]

export interface PagePlace {
  /** Host that serves the studio and its WebSockets. */
  host?: string | undefined
  /** Origin of a stage's previews, which the page may frame. */
  previews?: string | undefined
}

/** Returns the security headers of the studio's page. */
export function pageHeaders(html: string, place: PagePlace = {}): Record<string, string> {
  return {
    "Content-Security-Policy": studioPolicy(inlineScripts(html), place),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
  }
}

/**
 * Returns the content security policy for the studio's page and its workers. Scripts must be our own, identified by
 * file or by hash. Styles may be inline, because the editor and the terminal insert theirs at run time, and styles
 * can't run code.
 */
export function studioPolicy(scripts: string[], { host, previews }: PagePlace = {}): string {
  const sockets = host !== undefined && /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:]+\](:\d{1,5})?$/i.test(host)
  const local = /^(?:localhost|127\.0\.0\.1|[a-z\d-]+\.localhost)(?<port>:\d{1,5})?$/i.exec(host ?? "")
  return Object.entries({
    "default-src": ["'none'"],
    "script-src": ["'self'", ...scripts.map((script) => `'sha256-${hashOf(script)}'`)],
    "style-src": ["'self'", "'unsafe-inline'"],
    "font-src": ["'self'"],
    "img-src": ["'self'", "data:", "blob:"],
    // `connect-src` lists the WebSocket addresses, because 'self' doesn't include them in some browsers. The page may
    // frame previews, which have other origins, and no other pages.
    ...(local && { "frame-src": [`http://*.localhost${local.groups?.port ?? ""}`] }),
    ...(previews !== undefined && { "frame-src": [previews] }),
    "connect-src": ["'self'", ...(sockets ? [`ws://${host}`, `wss://${host}`] : [])],
    "manifest-src": ["'self'"],
    "worker-src": ["'self'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
  })
    .map(([directive, sources]) => `${directive} ${sources.join(" ")}`)
    .join("; ")
}

/** Returns our page's inline scripts exactly as they appear in the page, because browsers hash this text. */
function inlineScripts(html: string): string[] {
  const scripts = html.matchAll(/<script(?<attributes>[^>]*)>(?<text>[\s\S]*?)<\/script>/gi)
  return [...scripts].flatMap(({ groups: { attributes = "", text = "" } = {} }) =>
    /\ssrc\s*=/i.test(attributes) ? [] : [text],
  )
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64")
}
