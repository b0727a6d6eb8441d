/// <reference path="../.sst/platform/config.d.ts" />
import { keyOfTheWorker } from "../packages/core/src/models/names.ts"
import { STREAM_PREFIX } from "../packages/functions/src/aws/paths.ts"
import { describeBedrock } from "./bedrock.ts"
import { createFunction, createUrl, invoke, type LiveFunction } from "./function.ts"
import type { Secrets } from "./secrets.ts"
import type { Storage } from "./storage.ts"

/**
 * Creates the functions that serve HTTP: one for quick responses, and a small one for streams, which are billed while
 * they are open. Both run the same app.
 *
 * Their URLs are public. CloudFront could sign its requests, but it would then use the `Authorization` header itself,
 * and require a hash of every body. Instead, the Router adds a secret, which the app checks first.
 */
export function createApi(deps: {
  secrets: Secrets
  storage: Storage
  worker: LiveFunction
  router: sst.aws.Router
  /** Domain name of the previews' distribution. */
  previews: $util.Output<string>
}): { api: LiveFunction; stream: LiveFunction } {
  const { secrets, storage, worker, router, previews } = deps
  const common = {
    streaming: true,
    traced: true,
    key: storage.key,
    environment: {
      ...storage.environment,
      WORKER: worker.invokeName,
      MASTER_KEY: secrets.masterKey,
      ADMIN_TOKEN: secrets.adminToken,
      ORIGIN_SECRET: secrets.originSecret,
      PUBLIC_URL: process.env.PUBLIC_URL || router.url,
      PREVIEW_ORIGIN: $interpolate`https://${previews}`,
      // These functions only need to know which keys exist.
      ...Object.fromEntries(
        Object.entries(secrets.modelKeys).map(([name, key]) => [name, key.apply((key) => key && keyOfTheWorker)]),
      ),
    },
    permissions: [
      storage.records,
      storage.lists,
      storage.blobNames,
      storage.readBlobs,
      storage.writeBlobs,
      invoke(worker),
    ],
  }
  const api = createFunction("Api", {
    ...common,
    // Pages are published by short requests, which are never streamed.
    permissions: [...common.permissions, storage.writeApps, ...describeBedrock()],
    handler: "packages/functions/src/aws/api.handler",
    description: "Answers requests",
    memory: "1024 MB",
    timeout: "75 seconds",
  })
  const stream = createFunction("Stream", {
    ...common,
    handler: "packages/functions/src/aws/stream.handler",
    description: "Streams responses",
    memory: "256 MB",
    timeout: "15 minutes",
  })
  const patient = { readTimeout: "60 seconds" } as const
  router.route("/", createUrl("Api", api), patient)
  router.route(STREAM_PREFIX, createUrl("Stream", stream), {
    ...patient,
    rewrite: { regex: `^${STREAM_PREFIX}`, to: "" },
  })
  return { api, stream }
}
