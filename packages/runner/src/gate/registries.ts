/** Variables for the package registries of npm, pip and Go. */
const REGISTRIES = /^(npm_config_registry|pip_index_url|goproxy)$/i

/** Returns the registries in the machine's environment, except addresses with a password. */
export function registryVariables(host: Record<string, string | undefined>): Record<string, string> {
  const named = Object.entries(host).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return Object.fromEntries(named.filter(([name, value]) => REGISTRIES.test(name) && !value.includes("@")))
}

/** Returns the addresses in those variables. Go's may contain several addresses, and keywords. */
export function registryAddresses(host: Record<string, string | undefined>): URL[] {
  const parts = Object.values(registryVariables(host)).flatMap((value) => value.split(/[,|]/))
  return parts.flatMap((part) => {
    const url = URL.parse(part.trim())
    return url && /^https?:$/.test(url.protocol) ? [url] : []
  })
}
