/** Base URL used only for resolving paths. If the result has a different origin, it leads to another site. */
const HERE = "https://here.invalid"

/** Returns the path requested before the login, or the home page. Never one on another site. */
export function nextPath(search: string): string {
  const wanted = new URLSearchParams(search).get("next") ?? "/"
  const url = URL.parse(wanted, HERE)
  if (!wanted.startsWith("/") || url?.origin !== HERE) return "/"
  // "/.//site" resolves to "//site", which browsers treat as another site.
  if (url.pathname.startsWith("//") || /^\/login\/?$/.test(url.pathname)) return "/"
  return url.pathname + url.search + url.hash
}
