import { randomBytes } from "node:crypto"

/** What a deployment needs and makes by itself, the first time. */
export const GENERATED: Record<string, { make: () => string; command: string }> = {
  MasterKey: { make: () => randomBytes(32).toString("base64"), command: "openssl rand -base64 32" },
  AdminToken: { make: () => randomBytes(32).toString("hex"), command: "openssl rand -hex 32" },
  OriginSecret: { make: () => randomBytes(32).toString("hex"), command: "openssl rand -hex 32" },
}

export const OPTIONAL = ["GroqApiKey"]
