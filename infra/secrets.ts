/// <reference path="../.sst/platform/config.d.ts" />

export type Secrets = ReturnType<typeof createSecrets>

/**
 * Creates the secrets. `npm run deploy` generates the first three; the keys belong to the operator and are optional.
 * Each function only receives the secrets that it needs, as values: a link would add permissions.
 */
export function createSecrets() {
  return {
    /** Seals callers' secrets. Without it they can't be opened any more. */
    masterKey: new sst.Secret("MasterKey").value,
    adminToken: new sst.Secret("AdminToken").value,
    /** Shared by the Router and the functions behind it. */
    originSecret: new sst.Secret("OriginSecret").value,
    groqApiKey: new sst.Secret("GroqApiKey", "").value,
    braveApiKey: new sst.Secret("BraveApiKey", "").value,
    serperApiKey: new sst.Secret("SerperApiKey", "").value,
  }
}
