import { randomBytes } from "node:crypto"

/** Secrets that the first deployment generates. */
export const GENERATED: Record<string, { make: () => string; command: string }> = {
  MasterKey: { make: () => randomBytes(32).toString("base64"), command: "openssl rand -base64 32" },
  AdminToken: { make: () => randomBytes(32).toString("hex"), command: "openssl rand -hex 32" },
  OriginSecret: { make: () => randomBytes(32).toString("hex"), command: "openssl rand -hex 32" },
}

/** Optional secrets, with the consequence of each one's absence. */
export const OPTIONAL: Record<string, string> = {
  GroqApiKey: "every caller needs their own model key",
  BraveApiKey: "teams don't search the web with Brave",
  SerperApiKey: "teams don't search the web with Serper",
}
