/// <reference path="../.sst/platform/config.d.ts" />
import { HOST_HEADER } from "../packages/functions/src/aws/previews.ts"
import { ORIGIN_HEADER } from "../packages/functions/src/http/origin.ts"
import { previewOriginSecret, previewSigningKey } from "../packages/functions/src/previews/keys.ts"
import { createFunction, createUrl } from "./function.ts"
import type { Secrets } from "./secrets.ts"
import { previewDomain } from "./stage.ts"
import type { Storage } from "./storage.ts"
import { CACHING_DISABLED } from "./web.ts"

/** CSP source that matches all previews. Undefined if it isn't known before the deployment. */
export const previewNames = previewDomain && `https://*.${previewDomain.name}`

/**
 * Creates a stage's previews: a distribution that forwards neither cookies nor tokens, and a function that may only
 * read session files. They cost nothing unless visited. With a preview domain, each preview has its own host name, and
 * `router` is the studio that frames the previews. Without one, all previews share the distribution's host name. Each
 * preview's address then names its studio, because the studio is created later.
 */
export function createPreviews(deps: { secrets: Secrets; storage: Storage; router: sst.aws.Router | undefined }) {
  const { secrets, storage, router } = deps
  const masterKey = secrets.masterKey.apply((key) => new Uint8Array(Buffer.from(key, "base64")))
  const secret = masterKey.apply(previewOriginSecret)
  const preview = createFunction("Preview", {
    handler: "packages/functions/src/aws/preview.handler",
    description: "Serves the files of sessions as pages",
    streaming: true,
    traced: false,
    key: storage.key,
    memory: "512 MB",
    timeout: "60 seconds",
    environment: {
      ...storage.environment,
      ...(router && { PUBLIC_URL: process.env.PUBLIC_URL || router.url }),
      PREVIEW_KEY: masterKey.apply((key) => Buffer.from(previewSigningKey(key)).toString("base64")),
      PREVIEW_SECRET: secret,
    },
    permissions: [
      { actions: ["dynamodb:GetItem", "dynamodb:Query"], resources: storage.records.resources },
      storage.blobNames,
      storage.readBlobs,
      storage.readApps,
    ],
  })
  const edge = new aws.cloudfront.Function("PreviewRequest", {
    runtime: "cloudfront-js-2.0",
    code: `function handler(event) {
  event.request.headers["${HOST_HEADER}"] = { value: event.request.headers.host.value };
  return event.request;
}`,
  })
  const requests = new aws.cloudfront.OriginRequestPolicy("PreviewRequests", {
    headersConfig: {
      headerBehavior: "whitelist",
      headers: { items: [HOST_HEADER, "service-worker", "sec-fetch-mode"] },
    },
    cookiesConfig: { cookieBehavior: "none" },
    queryStringsConfig: { queryStringBehavior: "none" },
  })
  const { domainName } = new aws.cloudfront.Distribution("Previews", {
    enabled: true,
    comment: "Previews",
    httpVersion: "http2and3",
    aliases: previewDomain ? [`*.${previewDomain.name}`] : [],
    viewerCertificate: previewDomain
      ? {
          acmCertificateArn: previewDomain.cert,
          sslSupportMethod: "sni-only",
          minimumProtocolVersion: "TLSv1.2_2021",
        }
      : { cloudfrontDefaultCertificate: true },
    restrictions: { geoRestriction: { restrictionType: "none" } },
    origins: [
      {
        originId: "preview",
        domainName: createUrl("Preview", preview).apply((url) => new URL(url).host),
        customHeaders: [{ name: ORIGIN_HEADER, value: secret }],
        customOriginConfig: {
          httpPort: 80,
          httpsPort: 443,
          originProtocolPolicy: "https-only",
          originSslProtocols: ["TLSv1.2"],
        },
      },
    ],
    defaultCacheBehavior: {
      targetOriginId: "preview",
      viewerProtocolPolicy: "redirect-to-https",
      // A page without an origin sends a preflight request before using custom headers.
      allowedMethods: previewDomain ? ["GET", "HEAD"] : ["GET", "HEAD", "OPTIONS"],
      cachedMethods: ["GET", "HEAD"],
      cachePolicyId: CACHING_DISABLED,
      originRequestPolicyId: requests.id,
      functionAssociations: [{ eventType: "viewer-request", functionArn: edge.arn }],
    },
  })
  return { preview, domainName }
}
