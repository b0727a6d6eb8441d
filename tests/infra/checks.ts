import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DYNAMO_TTL_ATTRIBUTE, dynamoTable } from "@switchyard/core/storage/dynamo"
import { viewerRequestCode } from "@switchyard/functions/aws/paths"
import { pageHeaders } from "@switchyard/functions/http/studio"
import { expect } from "vitest"
import about from "../../packages/functions/package.json" with { type: "json" }
import { pageOf } from "../../tools/cloud/live.ts"
import { codeVersion } from "../../tools/cloud/version.ts"
import { OURS } from "./bundle-function.ts"
import { ACCOUNT } from "./synth/mocks.ts"
import { of, one, type Resource, root, SECRETS, STUDIO, type Synth } from "./synth/synth.ts"

/** Checks that every deployment must pass. Each throws if it fails. */
export const checks = {
  "the table is on demand, drops what has expired, and can be put back to any moment of a week"({ app, ...synth }) {
    expect(table(synth)).toMatchObject({
      billingMode: "PAY_PER_REQUEST",
      ttl: { attributeName: DYNAMO_TTL_ATTRIBUTE, enabled: true },
      pointInTimeRecovery: { enabled: true, recoveryPeriodInDays: 7 },
      streamEnabled: false,
    })
    expect(table(synth).deletionProtectionEnabled ?? false).toBe(app.protect)
  },

  "the table has the keys and the index that core asks for"(synth) {
    const wanted = dynamoTable("x")
    const { hashKey, rangeKey, attributes, globalSecondaryIndexes } = table(synth)
    expect([hashKey, rangeKey]).toEqual(wanted.KeySchema.map((key) => key.AttributeName))
    expect(attributes.map(({ name, type }: Record<string, string>) => [name, type])).toEqual(
      wanted.AttributeDefinitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
    )
    expect(globalSecondaryIndexes).toEqual(
      wanted.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
        name: IndexName,
        hashKey: KeySchema[0]?.AttributeName,
        rangeKey: KeySchema[1]?.AttributeName,
        projectionType: Projection.ProjectionType,
      })),
    )
  },

  "every bucket is private, and speaks TLS only; of the studio's, CloudFront may read the files"(synth) {
    const buckets = of(synth, "Bucket")
    expect(buckets.map(({ name }) => name).sort()).toEqual(["BlobsBucket", "StudioBucket"])
    for (const { name, inputs } of buckets) {
      const mine = (type: string) => of(synth, type).filter((other) => other.inputs.bucket === inputs.bucket)
      const closed = { blockPublicAcls: true, blockPublicPolicy: true, ignorePublicAcls: true }
      expect(mine("BucketPublicAccessBlock").map((block) => block.inputs)).toEqual([
        { bucket: inputs.bucket, ...closed, restrictPublicBuckets: true },
      ])
      const [policy, ...more] = mine("BucketPolicy").flatMap(statementsOf)
      expect(policy).toMatchObject({
        Effect: "Deny",
        Action: ["s3:*"],
        Condition: [{ test: "Bool", variable: "aws:SecureTransport", values: ["false"] }],
      })
      expect(policy.Resource).toHaveLength(2)
      expect(more.map(({ Resource: _, ...rest }) => rest)).toEqual(name === "StudioBucket" ? [CLOUDFRONT_READS] : [])
      expect(mine("BucketCorsConfiguration")).toEqual([])
    }
  },

  "the bucket forgets broken uploads after a day and what was deleted after a week"({ app, ...synth }) {
    for (const { inputs } of of(synth, "Bucket")) expect(inputs.forceDestroy).toBe(!app.protect)
    expect(of(synth, "BucketVersioning")).toHaveLength(app.protect ? 1 : 0)
    expect(one(synth, "BucketLifecycleConfiguration", "BlobsLifecycle").rules).toEqual([
      { id: "parts", status: "Enabled", filter: {}, abortIncompleteMultipartUpload: { daysAfterInitiation: 1 } },
      {
        id: "deleted",
        status: "Enabled",
        filter: {},
        noncurrentVersionExpiration: { noncurrentDays: 7 },
        expiration: { expiredObjectDeleteMarker: true },
      },
      { id: "prepared", status: "Enabled", filter: { prefix: "prepared/" }, expiration: { days: 14 } },
    ])
  },

  "production can't be removed by a command"({ app }) {
    const production = app.stage === "prod"
    expect(app).toMatchObject({ protect: production, removal: production ? "retain" : "remove", home: "aws" })
  },

  "there are five functions, on arm64 and Node 24, each as large and as patient as it must be"(synth) {
    const shapes = of(synth, "Function").flatMap(({ name, inputs }) =>
      inputs.memorySize ? [[name, inputs.memorySize, inputs.timeout, inputs.handler]] : [],
    )
    expect(shapes.sort()).toEqual([
      ["ApiFunction", 1024, 75, "api.handler"],
      ["PreviewFunction", 512, 60, "preview.handler"],
      ["StreamFunction", 256, 900, "stream.handler"],
      ["SweepFunction", 256, 120, "sweep.handler"],
      ["WorkerFunction", 1024, 900, "worker.handler"],
    ])
    for (const { inputs } of lambdas(synth)) {
      expect(inputs).toMatchObject({ runtime: "nodejs24.x", architectures: ["arm64"], packageType: "Zip" })
      expect(inputs.vpcConfig, "a function in a VPC needs a NAT gateway to reach a model").toBeUndefined()
    }
  },

  "the product's settings are those of the stage"({ app, ...synth }) {
    for (const { inputs } of lambdas(synth)) {
      expect(inputs.environment.variables).toMatchObject({
        APP_ENV: app.stage === "prod" ? "production" : "development",
        EXPOSE_VERBOSE_ERRORS: app.stage === "prod" ? "false" : "true",
        // Other tests may add files to the folder in the meantime.
        VERSION: expect.stringContaining(codeVersion(root, about.version).replace(".changed", "")),
        TABLE: table(synth).name,
        BUCKET: one(synth, "Bucket", "BlobsBucket").bucket,
      })
    }
  },

  "each function is given only the secrets that it needs, and nobody else any"(synth) {
    const holders = synth.resources.filter(({ type }) => !type.startsWith("sst:") && !type.startsWith("pulumi:"))
    const known = holders.flatMap(({ name, inputs }) => {
      const text = JSON.stringify(inputs)
      const held = Object.entries(SECRETS).filter(([, value]) => text.includes(value))
      return held.length > 0 ? [[name, ...held.map(([secret]) => secret)]] : []
    })
    expect(known.sort()).toEqual([
      ["ApiFunction", "MasterKey", "AdminToken", "OriginSecret"],
      ["RouterCloudfrontFunctionRequest", "OriginSecret"],
      ["StreamFunction", "MasterKey", "AdminToken", "OriginSecret"],
      [
        ...["WorkerFunction", "MasterKey", "GroqApiKey", "AnthropicApiKey", "OpenaiApiKey", "LocalApiKey"],
        ...["BraveApiKey", "SerperApiKey"],
      ],
    ])
  },

  "whoever calls a function gets its live version, which a rollback moves"(synth) {
    expectAllLive(synth)
  },

  "function URLs stream, and leave CORS to the app"(synth) {
    const urls = of(synth, "FunctionUrl").map(({ name, inputs: { functionName: _, ...rest } }) => [name, rest])
    const open = { authorizationType: "NONE", invokeMode: "RESPONSE_STREAM", qualifier: "live" }
    expect(urls.sort()).toEqual([
      ["ApiUrl", open],
      ["PreviewUrl", open],
      ["StreamUrl", open],
    ])
  },

  "functions may be invoked from outside by their URL alone"(synth) {
    for (const { inputs } of of(synth, "Permission")) {
      const byUrl = { "lambda:InvokeFunctionUrl": { functionUrlAuthType: "NONE" } } as Record<string, object>
      expect(inputs).toMatchObject(byUrl[inputs.action] ?? { invokedViaFunctionUrl: true })
    }
    expect(of(synth, "Permission")).toHaveLength(6)
  },

  "the Router adds the secret, sends streams to their function, and waits a minute"(synth) {
    const { code } = one(synth, "Function", "RouterCloudfrontFunctionRequest")
    expect(code).toContain(viewerRequestCode(SECRETS.OriginSecret, ["/favicon.svg", "/index.html"]))
    // CloudFront's limit for the code of a function.
    expect(Buffer.byteLength(code)).toBeLessThan(10_240)
    const routes = of(synth, "Resource").flatMap(({ inputs }) => (inputs.key === "routes" ? [inputs.entry] : []))
    expect(routes.map((route: string) => route.split(",").slice(2).join()).sort()).toEqual([",/", ",/-stream"])
    const targets = of(synth, "Resource").flatMap(({ inputs }) =>
      inputs.entries ? [JSON.parse(inputs.entries.metadata)] : [],
    )
    expect(targets).toHaveLength(2)
    for (const { origin } of targets) expect(origin).toEqual({ timeouts: { readTimeout: 60 } })
    expect(targets.flatMap(({ rewrite }) => rewrite ?? [])).toEqual([{ regex: "^/-stream", to: "" }])
  },

  "CloudFront keeps nothing but the studio's assets, and joins no two requests"(synth) {
    const { defaultCacheBehavior, orderedCacheBehaviors, customErrorResponses = [] } = distribution(synth)
    expect(defaultCacheBehavior).toMatchObject({
      cachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
      originRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
      viewerProtocolPolicy: "redirect-to-https",
    })
    expect(orderedCacheBehaviors).toEqual([
      {
        pathPattern: "/assets/*",
        targetOriginId: "studio",
        viewerProtocolPolicy: "redirect-to-https",
        allowedMethods: ["GET", "HEAD"],
        cachedMethods: ["GET", "HEAD"],
        compress: true,
        cachePolicyId: "658327ea-f89d-4fab-a63d-7e88639e58f6",
        responseHeadersPolicyId: "StudioHeaders-id",
      },
    ])
    // Custom error pages would also replace the API's errors.
    expect(customErrorResponses).toEqual([])
  },

  "browsers keep the studio's assets for ever, the bucket for a month once they are marked, and nobody its pages"(
    synth,
  ) {
    const bucket = one(synth, "Bucket", "StudioBucket").bucket
    const files = of(synth, "BucketObjectv2").filter(({ inputs }) => inputs.bucket === bucket)
    const [copy, ...others] = files.filter(({ name }) => name === "Studio/page")
    const { VERSION } = one(synth, "Function", "ApiFunction").environment.variables
    expect([copy?.inputs.key, others]).toEqual([pageOf(VERSION), []])
    const own = files.filter((file) => file !== copy)
    // The version makes a deployment replace files that a rollback put there, even if the page hasn't changed since.
    for (const { inputs } of own) {
      expect(inputs.metadata).toEqual(inputs.key.startsWith("assets/") ? undefined : { version: VERSION })
    }
    const told = own.map(({ inputs }) => [inputs.key, inputs.contentType, inputs.cacheControl])
    expect(told.sort()).toEqual([
      ["assets/index-abc123.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"],
      ["favicon.svg", "image/svg+xml", "no-cache"],
      ["index.html", "text/html; charset=utf-8", "no-cache"],
    ])
    const lifecycle = one(synth, "BucketLifecycleConfiguration", "StudioLifecycle")
    expect(lifecycle.bucket).toBe(bucket)
    // Expiration by age alone would delete assets of an installation that wasn't deployed for a month.
    expect(lifecycle.rules).toEqual([
      {
        id: "retired",
        status: "Enabled",
        filter: { and: { prefix: "assets/", tags: { retired: "yes" } } },
        expiration: { days: 30 },
      },
    ])
    const origin = distribution(synth).origins.find(({ originId }: Resource["inputs"]) => originId === "studio")
    expect(origin).toMatchObject({ domainName: `${bucket}.s3.eu-central-1.amazonaws.com` })
    expect(origin.originAccessControlId).toBe("StudioAccess-id")
    expect(one(synth, "OriginAccessControl", "StudioAccess")).toMatchObject({ signingBehavior: "always" })
  },

  "the studio's pages may load nothing from elsewhere, and the API's answers keep what they say themselves"(synth) {
    expect(distribution(synth).defaultCacheBehavior.responseHeadersPolicyId).toBe("StudioHeaders-id")
    const { securityHeadersConfig, customHeadersConfig } = one(synth, "ResponseHeadersPolicy", "StudioHeaders")
    const { contentSecurityPolicy, referrerPolicy, strictTransportSecurity, contentTypeOptions } = securityHeadersConfig
    const previews = "https://d111111abcdef8.cloudfront.net"
    const html = readFileSync(join(STUDIO, "index.html"), "utf8")
    const { "Content-Security-Policy": policy, ...page } = pageHeaders(html, { previews })
    expect(policy).toContain(`frame-src ${previews};`)
    expect(contentSecurityPolicy).toEqual({ contentSecurityPolicy: policy, override: false })
    expect(policy).toContain("script-src 'self' 'sha256-")
    expect(referrerPolicy).toEqual({ referrerPolicy: page["Referrer-Policy"], override: false })
    expect(contentTypeOptions).toEqual({ override: true })
    expect(strictTransportSecurity.accessControlMaxAgeSec).toBeGreaterThanOrEqual(31_536_000)
    expect(customHeadersConfig.items).toEqual(
      ["Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Permissions-Policy"].map((header) => {
        return { header, value: page[header], override: false }
      }),
    )
  },

  "events that come too late are left to the sweep, and nothing is tried again by itself"(synth) {
    const configs = of(synth, "FunctionEventInvokeConfig").map(({ name, inputs: { functionName: _, ...rest } }) => [
      name,
      rest,
    ])
    const once = { maximumEventAgeInSeconds: 60, maximumRetryAttempts: 0, qualifier: "live" }
    expect(configs.sort()).toEqual([
      ["SweepEventInvokeConfig", once],
      ["WorkerEventInvokeConfig", once],
    ])
    // Lambda's default ends loops. No function invokes itself, so nothing needs another setting.
    expect(of(synth, "FunctionRecursionConfig")).toEqual([])
  },

  "the sweep is called every minute"(synth) {
    const schedules = of(synth, "Schedule").map(({ inputs }) => inputs)
    expect(schedules).toMatchObject([{ scheduleExpression: "rate(1 minute)", state: "ENABLED" }])
    expect(schedules[0].target).toMatchObject({
      arn: expect.stringContaining(one(synth, "Function", "SweepFunction").name),
      retryPolicy: { maximumRetryAttempts: 0 },
    })
  },

  "every function writes to a log that forgets after a month"(synth) {
    const logs = of(synth, "LogGroup")
    for (const { name, inputs } of logs) expect(inputs.retentionInDays, name).toBe(30)
    for (const { inputs } of lambdas(synth)) {
      expect(inputs.loggingConfig.logFormat).toBe("JSON")
      expect(logs.map(({ name }) => name)).toContain(inputs.loggingConfig.logGroup)
    }
    expect(logs).toHaveLength(5)
  },

  "what people wait for is traced, and the sweep, which nobody does, is not"(synth) {
    const modes = lambdas(synth).map(({ name, inputs }) => [name, inputs.tracingConfig?.mode])
    expect(Object.fromEntries(modes)).toEqual({
      ApiFunction: "Active",
      PreviewFunction: "PassThrough",
      StreamFunction: "Active",
      WorkerFunction: "Active",
      SweepFunction: "PassThrough",
    })
  },

  "every function and the table are watched, by what AWS counts anyway"(synth) {
    expect(watched(synth)).toEqual([...WATCHED].sort())
    expectAllWatched(synth)
    for (const { inputs } of of(synth, "MetricAlarm")) {
      expect(inputs.alarmDescription, inputs.metricName).toMatch(/^\w.*\.$/)
      if (inputs.metricName !== "Invocations") expect(inputs.treatMissingData).toBe("notBreaching")
      else expect(inputs).toMatchObject({ treatMissingData: "breaching", comparisonOperator: "LessThanThreshold" })
    }
  },

  "an invocation that Lambda is about to end is told of"(synth) {
    for (const { inputs } of of(synth, "MetricAlarm").filter(({ inputs }) => inputs.metricName === "Duration")) {
      const fn = lambdas(synth).find(({ inputs: { name } }) => name === inputs.dimensions.FunctionName)
      expect(inputs.statistic).toBe("Maximum")
      expect(inputs.threshold).toBeLessThan(fn?.inputs.timeout * 1000)
      // An orderly end takes the last ten seconds, and for the sweep the second half of its time.
      const orderly = fn?.name === "SweepFunction" ? 60_000 : (fn?.inputs.timeout - 10) * 1000
      expect(inputs.threshold).toBeGreaterThanOrEqual(orderly)
    }
  },

  "nothing stands that costs money while nobody works"(synth) {
    const costly =
      /NatGateway|LoadBalancer|VpcEndpoint|PrivateDnsNamespace|aws:ecs.*Service|rds|elasticache|ProvisionedConc/
    expect(synth.resources.filter(({ type }) => costly.test(type)).map(({ name }) => name)).toEqual([])
  },

  "what the api and the sweep load knows no graph, no model and no runner"({ builds }) {
    const foreign = /^(@langchain|langsmith|groq-sdk|openai$|@anthropic-ai|@lydell|node-pty|@switchyard\/runner)/
    expect(Object.keys(builds).sort()).toEqual(["Api", "Preview", "Stream", "Sweep", "Worker"])
    for (const { told } of Object.values(builds)) expect(told).toEqual(OURS)
    for (const name of ["Api", "Preview", "Stream", "Sweep"]) {
      expect(
        builds[name]?.packages.filter((used) => foreign.test(used)),
        name,
      ).toEqual([])
      expect(builds[name]?.coldBytes, name).toBeLessThan(1_200_000)
    }
    expect(builds.Worker?.packages.filter((used) => foreign.test(used)).length).toBeGreaterThan(2)
  },
} satisfies Record<string, (synth: Synth) => void>

export type CheckName = keyof typeof checks

/** Returns Lambda's functions, without those of CloudFront. */
function lambdas(synth: Pick<Synth, "resources">): Resource[] {
  return of(synth, "Function").filter(({ inputs }) => inputs.memorySize)
}

/**
 * Expects each deployment to publish a version of every function, and all callers to call the live one. Roles may also
 * allow the unqualified function, for callers from before there were aliases.
 */
export function expectAllLive(synth: Pick<Synth, "resources">): void {
  const counted = new Set(["MetricAlarm", "Dashboard", "Alias", "Role"].flatMap((type) => of(synth, type)))
  const callers = synth.resources.filter((resource) => resource.custom && !counted.has(resource))
  for (const { name, inputs } of lambdas(synth)) {
    expect(inputs.publish, name).toBe(true)
    const aliases = of(synth, "Alias").filter(({ inputs: { functionName } }) => functionName === inputs.name)
    expect(aliases.map(({ inputs }) => inputs)).toEqual([
      { name: "live", functionName: inputs.name, functionVersion: "1" },
    ])
    for (const { name: caller, inputs: given } of callers) {
      const { functionName, function: invoked, name: _, ...rest } = given
      if ([functionName, invoked].includes(inputs.name)) expect(given.qualifier, caller).toBe("live")
      const [, ...after] = JSON.stringify(rest).split(inputs.name)
      for (const text of after) expect(text, `${caller} calls ${name}`).toMatch(/^:live\b/)
    }
  }
}

/** Expects alarms for the errors and throttles of every function. */
export function expectAllWatched(synth: Pick<Synth, "resources">): void {
  const told = watched(synth)
  for (const { name } of lambdas(synth)) {
    for (const metric of ["Errors", "Throttles"]) expect(told).toContain(`AWS/Lambda ${metric} ${name}`)
  }
}

/** Returns the metrics that alarms watch, with the watched resource. */
export function watched(synth: Pick<Synth, "resources">): string[] {
  return of(synth, "MetricAlarm")
    .map(({ inputs: { namespace, metricName, dimensions = {} } }) => {
      const [whose] = Object.values(dimensions) as string[]
      return whose ? `${namespace} ${metricName} ${whose.split("-")[2]}` : metricName
    })
    .sort()
}

/**
 * Metrics that alarms must watch. For functions with an address also their 5xx answers, for the sweep also its
 * invocations, and for two functions their duration. A function that may run for a quarter of an hour needs no duration
 * alarm, because Lambda ends it with an error.
 */
export const WATCHED = [
  ...["Api", "Stream", "Sweep", "Worker"].flatMap((name) =>
    ["Errors", "Throttles"].map((metric) => `AWS/Lambda ${metric} ${name}Function`),
  ),
  ...["Api", "Sweep"].map((name) => `AWS/Lambda Duration ${name}Function`),
  "RunsFailed",
  ...["Api", "Stream"].map((name) => `AWS/Lambda Url5xxCount ${name}Function`),
  "AWS/Lambda Invocations SweepFunction",
  ...["Errors", "Throttles"].map((metric) => `AWS/Lambda ${metric} PreviewFunction`),
  ...["Read", "Write"].map((kind) => `AWS/DynamoDB ${kind}ThrottleEvents RecordsTable`),
]

function distribution(synth: Pick<Synth, "resources">): Resource["inputs"] {
  return one(synth, "Distribution", "RouterCdnDistribution")
}

const CLOUDFRONT_READS = {
  Effect: "Allow",
  Action: ["s3:GetObject"],
  Principal: [{ type: "Service", identifiers: ["cloudfront.amazonaws.com"] }],
  Condition: [
    { test: "StringLike", variable: "aws:SourceArn", values: [`arn:aws:cloudfront::${ACCOUNT}:distribution/*`] },
  ],
}

function table(synth: Pick<Synth, "resources">): Resource["inputs"] {
  return one(synth, "Table", "RecordsTable")
}

function statementsOf({ inputs }: Resource) {
  return JSON.parse(inputs.policy).Statement
}
