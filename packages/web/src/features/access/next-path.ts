/** Only there to resolve paths against: whatever doesn't stay in it leads away from us. */
const HERE = "https://here.invalid"

/** Where somebody wanted to go before they had to log in: a path of ours, or home. Never another site's. */
export function nextPath(search: string): string {
  const wanted = new URLSearchParams(search).get("next") ?? "/"
  const url = URL.parse(wanted, HERE)
  if (!wanted.startsWith("/") || url?.origin !== HERE) return "/"
  // "/.//site" resolves to "//site", which a browser takes for another site.
  if (url.pathname.startsWith("//") || /^\/login\/?$/.test(url.pathname)) return "/"
  return url.pathname + url.search + url.hash
}
