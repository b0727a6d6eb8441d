/**
 * Removes credentials from proxy variables, because an agent can print or send anything it can read. Drops proxies that
 * aren't a plain host with an optional scheme and port, because they may contain a password in another place.
 */
export function withoutProxyCredentials(environment: Record<string, string>): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]) => {
    const shown = PROXY.test(name) ? proxyAddress(value) : value
    return shown === undefined ? [] : [[name, shown] as const]
  })
  return Object.fromEntries(entries)
}

const PROXY = /^(http|https|all)_proxy$/i

/** Rebuilds the URL from parts known to be harmless, so a parsing mistake can't let anything else through. */
function proxyAddress(proxy: string): string | undefined {
  const [, scheme = ""] = /^([a-z][a-z\d+.-]*:\/\/)/i.exec(proxy) ?? []
  const url = URL.parse(scheme ? proxy : `http://${proxy}`)
  if (!url?.hostname || !["", "/"].includes(url.pathname) || url.search || url.hash) return undefined
  // `URL` drops a scheme's default port, but programs use a different default for proxies.
  const [port = ""] = /:\d+(?=\/?$)/.exec(proxy) ?? []
  return `${scheme}${url.hostname}${port}`
}
