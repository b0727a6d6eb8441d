import { withoutSlashes } from "@switchyard/core/text/trim"

/** Parses the base URL of an API as typed by the user: empty for this page's own server, null if invalid. */
export function apiBase(typed: string, origin: string): string | null {
  const text = typed.trim()
  if (text === "") return ""
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (!url || !/^https?:$/.test(url.protocol)) return null
  if (url.username || url.password || url.search || url.hash) return null
  const base = url.origin + withoutSlashes(url.pathname)
  return base === origin ? "" : base
}
