/// <reference path="../.sst/platform/config.d.ts" />
import { createFunction, invoke } from "./function.ts"
import type { Secrets } from "./secrets.ts"
import type { Storage } from "./storage.ts"

/**
 * Creates the function that gives runners the logins of accounts, and stores renewed logins. It is separate because the
 * credentials function must not be able to unseal secrets.
 */
export function createLogins({ storage, secrets }: { storage: Storage; secrets: Secrets }) {
  const fn = createFunction("Logins", {
    handler: "packages/functions/src/aws/logins.handler",
    description: "Gives runners the logins of their agents' accounts",
    memory: "256 MB",
    timeout: "30 seconds",
    retries: 0,
    traced: false,
    key: storage.key,
    environment: { ...storage.environment, MASTER_KEY: secrets.masterKey },
    permissions: [
      // The function reads the session log, and replaces a lease and an account.
      {
        actions: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"],
        resources: storage.records.resources,
      },
      storage.blobNames,
      storage.readBlobs,
    ],
  })
  return { fn, name: fn.invokeName, invoke: invoke(fn) }
}
