import { randomBytes } from "node:crypto"

/** What a deployment needs and makes by itself, the first time. */
export const GENERATED: Record<string, { make: () => string; command: string }> = {
  MasterKey: { make: () => randomBytes(32).toString("base64"), command: "openssl rand -base64 32" },
  AdminToken: { make: () => randomBytes(32).toString("hex"), command: "openssl rand -hex 32" },
  OriginSecret: { make: () => randomBytes(32).toString("hex"), command: "openssl rand -hex 32" },
}

/** What a deployment goes without, and what it has then. */
export const OPTIONAL: Record<string, string> = {
  GroqApiKey: "every caller brings a model key of their own",
  BraveApiKey: "teams don't search the web by Brave",
  SerperApiKey: "teams don't search the web by Serper",
}
