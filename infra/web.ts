/// <reference path="../.sst/platform/config.d.ts" />
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { SOCKETS_ORIGIN, STUDIO_ORIGIN, viewerRequestCode } from "../packages/functions/src/aws/paths.ts"
import { pageHeaders } from "../packages/functions/src/http/studio.ts"
import { PAGE, pageOf } from "../tools/cloud/live.ts"
import { RETIRED } from "../tools/cloud/retired.ts"
import type { Secrets } from "./secrets.ts"
import { domain, firewallRate, production, version } from "./stage.ts"

/** CloudFront's managed policies: no caching, and caching with compression. */
export const CACHING_DISABLED = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
const CACHING_OPTIMIZED = "658327ea-f89d-4fab-a63d-7e88639e58f6"

const FOREVER = "public, max-age=31536000, immutable"

/** AWS's managed rules are off, because they mistake source code in requests for attacks. */
const NO_MANAGED_RULES = { coreRuleSet: false, knownBadInputs: false, sqlInjection: false }

/**
 * Counts only requests that reach a function. CloudFront caches assets, and a page loads dozens of them at once, so a
 * company behind one address would be blocked in the morning.
 */
const UNLESS_ASSETS = {
  notStatement: {
    statements: [
      {
        byteMatchStatement: {
          fieldToMatch: { uriPath: {} },
          positionalConstraint: "STARTS_WITH",
          searchString: "/assets/",
          textTransformations: [{ priority: 0, type: "NONE" }],
        },
      },
    ],
  },
}

/** Creates the only public address: CloudFront, serving the studio's files and the functions. */
export function createRouter({
  secrets,
  sockets,
  previews,
}: {
  secrets: Secrets
  /** CSP source that matches previews. */
  previews: $util.Input<string>
  /** API Gateway's domain for WebSockets, if the stage has them. */
  sockets: { domain: $util.Output<string> } | undefined
}): { router: sst.aws.Router; files: sst.aws.Bucket } {
  const files = studioFiles()
  const bucket = createFiles(files)
  const access = new aws.cloudfront.OriginAccessControl("StudioAccess", {
    originAccessControlOriginType: "s3",
    signingBehavior: "always",
    signingProtocol: "sigv4",
  })
  const headers = createHeaders(previews)
  const pages = files.filter((file) => !file.startsWith("assets/")).map((file) => `/${file}`)

  const router = new sst.aws.Router("Router", {
    ...(domain && { domain }),
    // Blocks client addresses above this rate until they slow down.
    ...(firewallRate !== undefined && { waf: { rateLimitPerIp: firewallRate, managedRules: NO_MANAGED_RULES } }),
    edge: {
      viewerRequest: {
        injection: secrets.originSecret.apply((secret) => viewerRequestCode(secret, pages, { sockets: !!sockets })),
      },
    },
    transform: {
      waf: (waf) => {
        waf.rules = $output(waf.rules).apply((rules = []) =>
          rules.map(({ statement, ...rule }) => ({
            ...rule,
            statement: {
              ...statement,
              rateBasedStatement: statement?.rateBasedStatement && {
                ...statement.rateBasedStatement,
                scopeDownStatement: UNLESS_ASSETS,
              },
            },
          })),
        )
      },
      cdn: (cdn) => {
        cdn.origins = $resolve([cdn.origins]).apply(([origins]) => [
          ...origins,
          {
            originId: STUDIO_ORIGIN,
            domainName: bucket.nodes.bucket.bucketRegionalDomainName,
            originAccessControlId: access.id,
          },
          ...(sockets
            ? [
                {
                  originId: SOCKETS_ORIGIN,
                  domainName: sockets.domain,
                  customOriginConfig: {
                    httpPort: 80,
                    httpsPort: 443,
                    originProtocolPolicy: "https-only",
                    originSslProtocols: ["TLSv1.2"],
                  },
                },
              ]
            : []),
        ])
        // SST's cache policy ignores credentials. With it, simultaneous requests from two users could get the same
        // response.
        cdn.defaultCacheBehavior = $resolve([cdn.defaultCacheBehavior]).apply(([behavior]) => ({
          ...behavior,
          cachePolicyId: CACHING_DISABLED,
          responseHeadersPolicyId: headers.id,
        }))
        // Assets have a content hash in their name, so browsers never have to revalidate them.
        cdn.orderedCacheBehaviors = [
          {
            pathPattern: "/assets/*",
            targetOriginId: STUDIO_ORIGIN,
            viewerProtocolPolicy: "redirect-to-https",
            allowedMethods: ["GET", "HEAD"],
            cachedMethods: ["GET", "HEAD"],
            compress: true,
            cachePolicyId: CACHING_OPTIMIZED,
            responseHeadersPolicyId: headers.id,
          },
        ]
      },
    },
  })
  return { router, files: bucket }
}

/**
 * Creates the bucket for the studio's files. Only CloudFront can read it. A deployment replaces the pages after
 * uploading their assets, and marks assets that the pages no longer use. Marked assets remain for a month, for pages
 * that are still open. A copy of each version's page remains for rollbacks.
 */
function createFiles(files: string[]): sst.aws.Bucket {
  const { accountId } = aws.getCallerIdentityOutput({})
  const bucket = new sst.aws.Bucket("Studio", {
    cors: false,
    policy: [
      {
        actions: ["s3:GetObject"],
        principals: [{ type: "service", identifiers: ["cloudfront.amazonaws.com"] }],
        conditions: [
          {
            test: "StringLike",
            variable: "aws:SourceArn",
            values: [$interpolate`arn:aws:cloudfront::${accountId}:distribution/*`],
          },
        ],
      },
    ],
    transform: {
      bucket: (args) => {
        args.forceDestroy = !production
      },
    },
  })
  new aws.s3.BucketLifecycleConfiguration("StudioLifecycle", {
    bucket: bucket.name,
    rules: [
      {
        id: "retired",
        status: "Enabled",
        filter: { and: { prefix: "assets/", tags: { [RETIRED.key]: RETIRED.value } } },
        expiration: { days: 30 },
      },
    ],
  })
  const put = (
    file: string,
    more: { key?: string; metadata?: Record<string, string> },
    options: $util.CustomResourceOptions,
  ) =>
    new aws.s3.BucketObjectv2(
      `Studio/${more.key ? "page" : file}`,
      {
        bucket: bucket.name,
        key: file,
        source: new $util.asset.FileAsset(join(folder(), file)),
        contentType: contentType(file),
        cacheControl: file.startsWith("assets/") ? FOREVER : "no-cache",
        ...more,
      },
      options,
    )
  const assets = files.filter((file) => file.startsWith("assets/"))
  const there = assets.map((file) => put(file, {}, { retainOnDelete: true }))
  // Uploads an unchanged page, too, because a rollback may have replaced it.
  const metadata = { version }
  for (const file of files) if (!assets.includes(file)) put(file, { metadata }, { dependsOn: there })
  put(PAGE, { key: pageOf(version) }, { retainOnDelete: true })
  return bucket
}

/** Creates the policy that adds headers to the studio's files. API responses keep their own headers. */
function createHeaders(previews: $util.Input<string>): aws.cloudfront.ResponseHeadersPolicy {
  const html = readFileSync(join(folder(), "index.html"), "utf8")
  const host = domain?.name
  const page = new Map(Object.entries(pageHeaders(html, { host })))
  const policy = $output(previews).apply((previews) => pageHeaders(html, { host, previews })["Content-Security-Policy"])
  page.delete("Content-Security-Policy")
  // Removes a header from `page` and returns its value. CloudFront has a separate field for this header.
  const take = (name: string) => {
    const value = page.get(name) ?? ""
    page.delete(name)
    return value
  }
  const override = false
  return new aws.cloudfront.ResponseHeadersPolicy("StudioHeaders", {
    securityHeadersConfig: {
      contentSecurityPolicy: { contentSecurityPolicy: policy, override },
      contentTypeOptions: { override: take("X-Content-Type-Options") === "nosniff" },
      referrerPolicy: { referrerPolicy: take("Referrer-Policy"), override },
      strictTransportSecurity: { accessControlMaxAgeSec: 31_536_000, includeSubdomains: false, override: true },
    },
    customHeadersConfig: { items: [...page].map(([header, value]) => ({ header, value, override })) },
  })
}

/** Returns the folder with the built studio. `npm run deploy` builds it first. */
function folder(): string {
  return join($cli.paths.root, process.env.STUDIO_FOLDER ?? "packages/web/dist")
}

function studioFiles(): string[] {
  if (!existsSync(join(folder(), PAGE))) {
    throw new Error(`There is no built studio in ${folder()}. Run: npm run build -w @switchyard/web`)
  }
  const entries = readdirSync(folder(), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const names = files.map((file) => file.slice(folder().length + 1).replaceAll("\\", "/"))
  // Omit the compressed copies, because CloudFront compresses files itself.
  return names.filter((name) => !/\.(br|gz)$/.test(name)).sort()
}

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
  woff2: "font/woff2",
}

function contentType(file: string): string {
  const type = TYPES[file.slice(file.lastIndexOf(".") + 1)]
  if (!type) throw new Error(`The studio's ${file} has an unknown type.`)
  return type
}
