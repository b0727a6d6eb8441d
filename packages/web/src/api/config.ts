import type { Operations } from "@switchyard/client/operations"
import { locate } from "@switchyard/client/request"

/** What the server says of the installation before anybody has logged in. */
export type InstallationConfig = Operations["GET /config.json"]["answer"]

const KEPT = "switchyard.api-base"

/** The installation that this page belongs to, or the one that its reader named on `/connect`. */
export async function loadConfig(ask: typeof fetch, storage: Storage): Promise<InstallationConfig> {
  const base = storage.getItem(KEPT) ?? ""
  const answer = await ask(base + locate("GET /config.json", {}).path, { cache: "no-cache" })
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`)
  const config: InstallationConfig = await answer.json()
  if (typeof config.version !== "string") throw new Error("What answered there is no Switchyard.")
  return { ...config, api_base: base || config.api_base }
}

export function keptBase(storage: Storage): string {
  return storage.getItem(KEPT) ?? ""
}

/** The server to talk to from now on; empty for the one that the page came from. */
export function keepBase(storage: Storage, base: string): void {
  if (base === "") storage.removeItem(KEPT)
  else storage.setItem(KEPT, base)
}
