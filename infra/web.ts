/// <reference path="../.sst/platform/config.d.ts" />
import { atTheEdge } from "../packages/functions/src/aws/paths.ts"
import type { Secrets } from "./secrets.ts"

/** CloudFront's own policy that keeps nothing. */
const CACHING_DISABLED = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"

/**
 * The one address of an installation: CloudFront, with the functions behind it. The studio's files will be a site on the
 * same Router; until then the api answers at every path, its own description at `/api/docs`.
 */
export function createRouter({ secrets }: { secrets: Secrets }): sst.aws.Router {
  return new sst.aws.Router("Router", {
    edge: { viewerRequest: { injection: secrets.originSecret.apply(atTheEdge) } },
    transform: {
      cdn: (cdn) => {
        // SST's policy knows requests by their address alone: two people who ask at once could be given one answer.
        cdn.defaultCacheBehavior = $resolve([cdn.defaultCacheBehavior]).apply(([behavior]) => ({
          ...behavior,
          cachePolicyId: CACHING_DISABLED,
        }))
      },
    },
  })
}
