/**
 * Removes credentials from proxy variables, because an agent can print or send everything that it can read. Removes
 * variables whose value isn't a plain host with an optional scheme and port, because they may contain a password
 * elsewhere.
 */
export function withoutProxyCredentials(environment: Record<string, string>): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]) => {
    const shown = PROXY.test(name) ? proxyAddress(value) : value
    return shown === undefined ? [] : [[name, shown] as const]
  })
  return Object.fromEntries(entries)
}

const PROXY = /^(http|https|all)_proxy$/i

/**
 * Builds a new URL from parts that are known to be harmless, so that a parsing mistake can't let anything else through.
 */
function proxyAddress(proxy: string): string | undefined {
  const [, scheme = ""] = /^([a-z][a-z\d+.-]*:\/\/)/i.exec(proxy) ?? []
  const url = URL.parse(scheme ? proxy : `http://${proxy}`)
  if (!url?.hostname || !["", "/"].includes(url.pathname) || url.search || url.hash) return undefined
  // `URL` drops the scheme's default port, but programs assume a different default port for proxies.
  const [port = ""] = /:\d+(?=\/?$)/.exec(proxy) ?? []
  return `${scheme}${url.hostname}${port}`
}
