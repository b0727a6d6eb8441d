/// <reference path="../.sst/platform/config.d.ts" />

export type Secrets = ReturnType<typeof createSecrets>

/**
 * What nobody may know. `npm run deploy` makes the first three; the keys are whoever's who deploys, and may be missing.
 * Each function is given only those that it needs, as values: a link would give it permissions too.
 */
export function createSecrets() {
  return {
    /** Seals what callers entrust to us. Whoever loses it loses that. */
    masterKey: new sst.Secret("MasterKey").value,
    adminToken: new sst.Secret("AdminToken").value,
    /** Known to the Router and to the functions behind it. */
    originSecret: new sst.Secret("OriginSecret").value,
    groqApiKey: new sst.Secret("GroqApiKey", "").value,
    braveApiKey: new sst.Secret("BraveApiKey", "").value,
    serperApiKey: new sst.Secret("SerperApiKey", "").value,
  }
}
