/**
 * The environment with proxies that have no user and no password: what an agent can read, it can also print or send away.
 * A proxy that isn't the address of a machine, with or without a scheme, is left out, for it may hold a password all the same.
 */
export function withoutProxyCredentials(environment: Record<string, string>): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]) => {
    const shown = PROXY.test(name) ? proxyAddress(value) : value
    return shown === undefined ? [] : [[name, shown] as const]
  })
  return Object.fromEntries(entries)
}

const PROXY = /^(http|https|all)_proxy$/i

/** Built from the parts that are known to be harmless, so that nothing that was misread goes through. */
function proxyAddress(proxy: string): string | undefined {
  const [, scheme = ""] = /^([a-z][a-z\d+.-]*:\/\/)/i.exec(proxy) ?? []
  const url = URL.parse(scheme ? proxy : `http://${proxy}`)
  if (!url?.hostname || !["", "/"].includes(url.pathname) || url.search || url.hash) return undefined
  // `URL` drops a port that is the scheme's own, but programs have another one for proxies.
  const [port = ""] = /:\d+(?=\/?$)/.exec(proxy) ?? []
  return `${scheme}${url.hostname}${port}`
}
