import type { InstallationConfig } from "../../api/config.ts"

/** Returns a sentence on how agents are isolated on this installation; undefined if the server doesn't report it. */
export function isolationLabel(agents: InstallationConfig["agents"] | undefined): string | undefined {
  if (!agents) return undefined
  if (agents.required && agents.sandbox === null) return "Off (no sandbox on this machine)"
  const where = agents.sandbox === null ? "No sandbox" : `Sandboxed (${agents.sandbox})`
  const user = agents.user === "own" ? "one user per agent" : "running as the server's user"
  return `${where}, ${user}${agents.network === "listed" ? ", network limited to listed hosts" : ""}`
}
