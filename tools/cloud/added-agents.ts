import { readFileSync } from "node:fs"
import { jsonOfYaml } from "../../packages/core/src/agents/added/agents-yaml.ts"

/** Returns the settings with the content of the agents' file, as JSON, in place of its path. Throws if it is invalid. */
export function withAddedAgents(settings: Record<string, string | undefined>): Record<string, string | undefined> {
  const named = settings.SWITCHYARD_AGENTS?.trim()
  if (!named || named.startsWith("{")) return settings
  const parsed = jsonOfYaml(readFileSync(named, "utf8"))
  if ("fault" in parsed) throw new Error(`SWITCHYARD_AGENTS: ${parsed.fault}`)
  return { ...settings, SWITCHYARD_AGENTS: parsed.json }
}
