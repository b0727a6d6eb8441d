import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { settingError } from "./setting-error.ts"

type Parse = (yaml: string) => Promise<{ json: string } | { fault: string }>

/** Returns the settings with the content of the agents' file, as JSON, in place of its path. Throws if it is invalid. */
export async function withAgentsFile<Settings extends Record<string, string | undefined>>(
  settings: Settings,
  parse: Parse,
): Promise<Settings> {
  const named = settings.SWITCHYARD_AGENTS?.trim()
  if (!named || named.startsWith("{")) return settings
  const parsed = await parse(readText(named))
  if ("fault" in parsed) throw settingError("SWITCHYARD_AGENTS", parsed.fault, named)
  return { ...settings, SWITCHYARD_AGENTS: parsed.json }
}

function readText(path: string): string {
  try {
    return readFileSync(resolve(path), "utf8")
  } catch (error) {
    throw settingError("SWITCHYARD_AGENTS", error instanceof Error ? error.message : String(error), path)
  }
}
