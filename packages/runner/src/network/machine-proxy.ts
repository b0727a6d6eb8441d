/**
 * Returns the machine's proxy for TLS or HTTP connections to a host. Returns undefined if such connections don't use a
 * proxy.
 */
export function machineProxy(
  env: Record<string, string | undefined>,
  { host, port }: { host: string; port: number },
): URL | undefined {
  const read = (name: string) => env[name.toLowerCase()] || env[name.toUpperCase()] || undefined
  const address = read(port === 80 ? "http_proxy" : "https_proxy") ?? read("all_proxy")
  if (address === undefined || isExcepted(read("no_proxy") ?? "", { host, port })) return undefined
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`)
  return url && ["http:", "https:"].includes(url.protocol) ? url : undefined
}

/** True if NO_PROXY contains the host or a parent domain. */
function isExcepted(exceptions: string, { host, port }: { host: string; port: number }): boolean {
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((exception) => {
      const [name = "", only] = exception.split(/:(?=\d+$)/)
      if (only !== undefined && Number(only) !== port) return false
      const domain = name.replace(/^\*?\.?/, "")
      return name === "*" || host === domain || (domain !== "" && host.endsWith(`.${domain}`))
    })
}
