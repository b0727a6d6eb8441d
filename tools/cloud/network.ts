/** Existing network that agents' containers start in. */
export interface ExistingNetwork {
  subnets: string[]
  group: string
}

type Settings = Record<string, string | undefined>

/** ECS's limit of subnets per task. */
const MOST_SUBNETS = 16

/**
 * Returns the existing network from RUNNER_SUBNETS and RUNNER_SECURITY_GROUP, or undefined if the stage creates its
 * own. Throws for invalid settings.
 */
export function readNetwork(settings: Settings): ExistingNetwork | undefined {
  const { RUNNER_SUBNETS, RUNNER_SECURITY_GROUP: group } = settings
  const subnets = (RUNNER_SUBNETS ?? "").split(",").flatMap((part) => part.trim() || [])
  if (subnets.length === 0 && !group) return undefined
  if (subnets.length === 0 || !group)
    throw new Error("RUNNER_SUBNETS and RUNNER_SECURITY_GROUP must both be set, because neither works alone.")
  for (const subnet of subnets) requireId("RUNNER_SUBNETS", subnet, "subnet")
  if (subnets.length > MOST_SUBNETS) throw new Error(`RUNNER_SUBNETS may list at most ${MOST_SUBNETS} subnets.`)
  requireId("RUNNER_SECURITY_GROUP", group, "sg")
  return { subnets, group }
}

function requireId(setting: string, id: string, kind: "subnet" | "sg"): void {
  if (new RegExp(`^${kind}-[0-9a-f]{8,17}$`).test(id)) return
  const rest =
    kind === "subnet" ? "a list of subnet IDs such as subnet-0a1b2c3d,subnet-4e5f6a7b" : "an ID such as sg-0a1b2c3d"
  throw new Error(`${setting} contains "${id}". It must be ${rest}.`)
}

/** Hosts that never use the proxy: the container itself, and ECS's metadata. */
const NEVER_PROXIED = "localhost,127.0.0.1,169.254.170.2"

/**
 * Returns the proxy variables of agents' containers, from RUNNER_HTTPS_PROXY, RUNNER_HTTP_PROXY and RUNNER_NO_PROXY.
 * The operator's own HTTPS_PROXY isn't used, because it belongs to another network. Throws for invalid settings.
 */
export function readProxies(settings: Settings): { name: string; value: string }[] {
  const proxies = ["HTTPS_PROXY", "HTTP_PROXY"].flatMap((name) => {
    const value = settings[`RUNNER_${name}`]
    if (!value) return []
    const url = URL.parse(value)
    if (!url || !["http:", "https:"].includes(url.protocol) || !["", "/"].includes(url.pathname))
      throw new Error(`RUNNER_${name} must be a proxy's address such as http://proxy.example.com:3128.`)
    // Containers' environments are visible in the AWS console.
    if (url.username || url.password)
      throw new Error(`RUNNER_${name} can't contain a password. Use a proxy that admits the containers by address.`)
    return [{ name, value }]
  })
  const excepted = settings.RUNNER_NO_PROXY
  if (proxies.length > 0)
    return [...proxies, { name: "NO_PROXY", value: [excepted, NEVER_PROXIED].filter(Boolean).join() }]
  if (excepted) throw new Error("RUNNER_NO_PROXY needs RUNNER_HTTPS_PROXY or RUNNER_HTTP_PROXY.")
  return []
}
