/** The variables by which npm, pip and Go find the packages of this machine. */
const REGISTRIES = /^(npm_config_registry|pip_index_url|goproxy)$/i

/** The registries that the machine's environment names, without those whose address has a password. */
export function registryVariables(host: Record<string, string | undefined>): Record<string, string> {
  const named = Object.entries(host).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return Object.fromEntries(named.filter(([name, value]) => REGISTRIES.test(name) && !value.includes("@")))
}

/** The addresses in those variables. Go's may have several, and words. */
export function registryAddresses(host: Record<string, string | undefined>): URL[] {
  const parts = Object.values(registryVariables(host)).flatMap((value) => value.split(/[,|]/))
  return parts.flatMap((part) => {
    const url = URL.parse(part.trim())
    return url && /^https?:$/.test(url.protocol) ? [url] : []
  })
}
