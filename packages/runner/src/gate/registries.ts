/** The variables by which npm, pip and Go find the packages of this machine. */
const REGISTRIES = /^(npm_config_registry|pip_index_url|goproxy)$/i

/** The registries that the machine's environment names, without those whose address has a password. */
export function registryVariables(host: Record<string, string | undefined>): Record<string, string> {
  const named = Object.entries(host).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return Object.fromEntries(named.filter(([name, value]) => REGISTRIES.test(name) && !value.includes("@")))
}
