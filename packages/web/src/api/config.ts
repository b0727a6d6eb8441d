import type { Operations } from "@switchyard/client/operations"
import { locate } from "@switchyard/client/request"
import { storeItem } from "./store-item.ts"

/** Public information about the installation. */
export type InstallationConfig = Operations["GET /config.json"]["answer"]

const KEPT = "switchyard.api-base"

/** Loads the configuration of the installation that this page belongs to, or of the one entered on `/connect`. */
export async function loadConfig(ask: typeof fetch, storage: Storage): Promise<InstallationConfig> {
  const base = storage.getItem(KEPT) ?? ""
  const response = await ask(base + locate("GET /config.json", {}).path, { cache: "no-cache" })
  if (!response.ok) throw new Error(`The server responded with status ${response.status}.`)
  const config: InstallationConfig = await response.json()
  if (typeof config.version !== "string") throw new Error("No Switchyard server found at this address.")
  return { ...config, api_base: base || config.api_base }
}

export function keptBase(storage: Storage): string {
  return storage.getItem(KEPT) ?? ""
}

/** Stores the server to use from now on; empty for the one that served the page. */
export function keepBase(storage: Storage, base: string): void {
  if (base === "") storage.removeItem(KEPT)
  else storeItem(storage, KEPT, base)
}
