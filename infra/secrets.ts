/// <reference path="../.sst/platform/config.d.ts" />

export type Secrets = ReturnType<typeof createSecrets>

/**
 * Creates the secrets. `npm run deploy` generates the first three; the keys are optional and provided by the operator.
 * Each function receives only the secrets that it needs, as values, because linking them would add permissions.
 */
export function createSecrets() {
  return {
    /** Key that seals callers' secrets. If it is lost, these secrets can't be unsealed any more. */
    masterKey: new sst.Secret("MasterKey").value,
    adminToken: new sst.Secret("AdminToken").value,
    /** Secret shared by the Router and the functions behind it. */
    originSecret: new sst.Secret("OriginSecret").value,
    groqApiKey: new sst.Secret("GroqApiKey", "").value,
    braveApiKey: new sst.Secret("BraveApiKey", "").value,
    serperApiKey: new sst.Secret("SerperApiKey", "").value,
  }
}
