/**
 * Removes user and password from proxies, because an agent can print or send whatever it can read. Drops a proxy that
 * isn't a plain host with optional scheme and port, which may contain a password too.
 */
export function withoutProxyCredentials(environment: Record<string, string>): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]) => {
    const shown = PROXY.test(name) ? proxyAddress(value) : value
    return shown === undefined ? [] : [[name, shown] as const]
  })
  return Object.fromEntries(entries)
}

const PROXY = /^(http|https|all)_proxy$/i

/** Builds the address from parts that are known to be harmless, so that nothing misread passes. */
function proxyAddress(proxy: string): string | undefined {
  const [, scheme = ""] = /^([a-z][a-z\d+.-]*:\/\/)/i.exec(proxy) ?? []
  const url = URL.parse(scheme ? proxy : `http://${proxy}`)
  if (!url?.hostname || !["", "/"].includes(url.pathname) || url.search || url.hash) return undefined
  // `URL` drops a port that is the scheme's default, but programs use another default for proxies.
  const [port = ""] = /:\d+(?=\/?$)/.exec(proxy) ?? []
  return `${scheme}${url.hostname}${port}`
}
