/** A base only for resolving paths: a URL that ends up elsewhere leads off this site. */
const HERE = "https://here.invalid"

/** The path that was requested before the login, or home. Never another site's. */
export function nextPath(search: string): string {
  const wanted = new URLSearchParams(search).get("next") ?? "/"
  const url = URL.parse(wanted, HERE)
  if (!wanted.startsWith("/") || url?.origin !== HERE) return "/"
  // "/.//site" resolves to "//site", which a browser takes for another site.
  if (url.pathname.startsWith("//") || /^\/login\/?$/.test(url.pathname)) return "/"
  return url.pathname + url.search + url.hash
}
