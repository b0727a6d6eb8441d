/// <reference path="../.sst/platform/config.d.ts" />
import { STAGE_MODEL_KEYS, STAGE_SEARCH_KEYS } from "../packages/functions/src/stage-settings.ts"

export type Secrets = ReturnType<typeof createSecrets>

/**
 * Creates the secrets. `npm run deploy` generates the first three; the keys are optional and provided by the operator.
 * Each function receives only the secrets that it needs, as values, because linking them would add permissions.
 */
export function createSecrets() {
  return {
    /** Key that seals callers' secrets. If it is lost, these secrets can't be unsealed anymore. */
    masterKey: new sst.Secret("MasterKey").value,
    adminToken: new sst.Secret("AdminToken").value,
    /** Secret shared by the Router and the functions behind it. */
    originSecret: new sst.Secret("OriginSecret").value,
    /** Keys for models and for web search, by environment variable. */
    modelKeys: optionalSecrets(STAGE_MODEL_KEYS),
    searchKeys: optionalSecrets(STAGE_SEARCH_KEYS),
  }
}

function optionalSecrets(names: Record<string, string>): Record<string, $util.Output<string>> {
  return Object.fromEntries(Object.entries(names).map(([variable, name]) => [variable, new sst.Secret(name, "").value]))
}
