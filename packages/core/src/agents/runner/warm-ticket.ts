import { hkdfSync } from "node:crypto"
import type { WarmTicket } from "./warm-schema.ts"

/** The name under which a session's settings are sealed. */
export const SETTINGS_NAME = "session-settings"

/** The ticket of a runner that is started ahead: the same however often its start is asked for, as ECS demands. */
export function warmTicket(masterKey: Uint8Array, id: string): WarmTicket {
  const secret = hkdfSync("sha256", masterKey, "", `switchyard/warm-ticket/${id}`, 32)
  return { id, secret: Buffer.from(secret).toString("base64url") }
}

/** The key to what is sealed for one runner that was started ahead, and to nothing else. */
export function warmKey(masterKey: Uint8Array, id: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", masterKey, "", `switchyard/warm-key/${id}`, 32))
}
