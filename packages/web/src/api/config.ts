import * as z from "zod"

/** What `/config.json` says of the installation before anybody has logged in. */
export const InstallationConfig = z.object({
  api_base: z.string(),
  version: z.string(),
  auth_mode: z.enum(["open", "token"]),
  app_env: z.enum(["development", "production"]),
  default_model: z.string(),
  demo: z.boolean(),
})
export type InstallationConfig = z.infer<typeof InstallationConfig>

const KEPT = "switchyard.api-base"

/** The installation that this page belongs to, or the one that its reader named on `/connect`. */
export async function loadConfig(ask: typeof fetch, storage: Storage): Promise<InstallationConfig> {
  const base = storage.getItem(KEPT) ?? ""
  const answer = await ask(`${base}/config.json`, { cache: "no-cache" })
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`)
  const config = InstallationConfig.parse(await answer.json())
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
