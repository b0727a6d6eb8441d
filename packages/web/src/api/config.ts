import type { Operations } from "@switchyard/client/operations"
import { locate } from "@switchyard/client/request"
import { storeItem } from "./store-item.ts"

/** The facts about the installation that need no login. */
export type InstallationConfig = Operations["GET /config.json"]["answer"]

const KEPT = "switchyard.api-base"

/** The installation that this page belongs to, or the one that its reader named on `/connect`. */
export async function loadConfig(ask: typeof fetch, storage: Storage): Promise<InstallationConfig> {
  const base = storage.getItem(KEPT) ?? ""
  const response = await ask(base + locate("GET /config.json", {}).path, { cache: "no-cache" })
  if (!response.ok) throw new Error(`The server responded with status ${response.status}.`)
  const config: InstallationConfig = await response.json()
  if (typeof config.version !== "string") throw new Error("What answered there is no Switchyard.")
  return { ...config, api_base: base || config.api_base }
}

export function keptBase(storage: Storage): string {
  return storage.getItem(KEPT) ?? ""
}

/** The server to talk to from now on; empty for the one that the page came from. */
export function keepBase(storage: Storage, base: string): void {
  if (base === "") storage.removeItem(KEPT)
  else storeItem(storage, KEPT, base)
}
