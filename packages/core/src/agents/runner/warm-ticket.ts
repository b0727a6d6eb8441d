import { hkdfSync } from "node:crypto"
import type { WarmTicket } from "./warm-schema.ts"

/** Name that a session's settings are encrypted for. */
export const SETTINGS_NAME = "session-settings"

/**
 * Returns a prestarted runner's ticket. A repeated start gets the same ticket, because ECS requires repeated requests
 * to be identical.
 */
export function warmTicket(masterKey: Uint8Array, id: string): WarmTicket {
  const secret = hkdfSync("sha256", masterKey, "", `switchyard/warm-ticket/${id}`, 32)
  return { id, secret: Buffer.from(secret).toString("base64url") }
}

/** Returns the key that encrypts settings for one prestarted runner. */
export function warmKey(masterKey: Uint8Array, id: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", masterKey, "", `switchyard/warm-key/${id}`, 32))
}
