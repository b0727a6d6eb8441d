/** Environment variables that set the registries of npm, pip and Go. */
const REGISTRIES = /^(npm_config_registry|pip_index_url|goproxy)$/i

/** Returns the registry variables from the machine's environment. Omits variables that contain credentials. */
export function registryVariables(host: Record<string, string | undefined>): Record<string, string> {
  const named = Object.entries(host).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return Object.fromEntries(named.filter(([name, value]) => REGISTRIES.test(name) && !value.includes("@")))
}

/** Returns the URLs in the registry variables. Go's variable may contain several URLs, and keywords. */
export function registryAddresses(host: Record<string, string | undefined>): URL[] {
  const parts = Object.values(registryVariables(host)).flatMap((value) => value.split(/[,|]/))
  return parts.flatMap((part) => {
    const url = URL.parse(part.trim())
    return url && /^https?:$/.test(url.protocol) ? [url] : []
  })
}
