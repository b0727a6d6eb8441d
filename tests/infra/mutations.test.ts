import { beforeAll, describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import { LIMIT_MS, someOf } from "../settings.ts"
import { type CheckName, checks } from "./checks.ts"
import { type Edit, missing, type Synth, synthesise, synthesiseAll } from "./synth/synth.ts"

/** Faults, each with the check that must detect it. */
const faults: Record<string, { edit: Edit; seenBy: CheckName }> = {
  "a table without time to live": {
    edit: { file: "infra/storage.ts", from: 'ttl: "ttl",', to: "" },
    seenBy: "the table is on demand, drops what has expired, and can be put back to any moment of a week",
  },
  "time to live on another attribute": {
    edit: { file: "infra/storage.ts", from: 'ttl: "ttl"', to: 'ttl: "expires_at"' },
    seenBy: "the table is on demand, drops what has expired, and can be put back to any moment of a week",
  },
  "a table without backups": {
    edit: { file: "infra/storage.ts", from: "enabled: true, recovery", to: "enabled: false, recovery" },
    seenBy: "the table is on demand, drops what has expired, and can be put back to any moment of a week",
  },
  "an index of another name": {
    edit: { file: "infra/storage.ts", from: "{ by_list:", to: "{ byList:" },
    seenBy: "the table has the keys and the index that core asks for",
  },
  "an open bucket": {
    edit: { file: "infra/storage.ts", from: "cors: pagesE", to: 'access: "public", cors: pagesE' },
    seenBy: "every bucket is private, and speaks TLS only; of the studio's, CloudFront may read the files",
  },
  "a bucket that every page may read": {
    edit: { file: "infra/storage.ts", from: "cors: pagesElsewhere &&", to: "cors:" },
    seenBy: "every bucket is private, and speaks TLS only; of the studio's, CloudFront may read the files",
  },
  "a bucket that speaks without TLS": {
    edit: { file: "infra/storage.ts", from: "cors: pagesE", to: "enforceHttps: false, cors: pagesE" },
    seenBy: "every bucket is private, and speaks TLS only; of the studio's, CloudFront may read the files",
  },
  "uploads that are kept for ever half": {
    edit: { file: "infra/storage.ts", from: "abortIncompleteMultipartUpload: { daysAfterInitiation: 1 }", to: "" },
    seenBy: "the bucket forgets broken uploads after a day and what was deleted after a week",
  },
  "a production that can be removed": {
    edit: { file: "sst.config.ts", from: "protect: production", to: "protect: false" },
    seenBy: "production can't be removed by a command",
  },
  "answers that are held back until they are whole": {
    edit: { file: "infra/function.ts", from: '"RESPONSE_STREAM"', to: '"BUFFERED"' },
    seenBy: "function URLs stream, and leave CORS to the app",
  },
  "a function that answers every origin by itself": {
    edit: { file: "infra/function.ts", from: 'authorizationType: "NONE",', to: 'authorizationType: "NONE", cors: {},' },
    seenBy: "function URLs stream, and leave CORS to the app",
  },
  "a Router that gives up after twenty seconds": {
    edit: { file: "infra/api.ts", from: 'readTimeout: "60 seconds"', to: "" },
    seenBy: "the Router adds the secret, sends streams to their function, and waits a minute",
  },
  "a Router without the secret": {
    edit: { file: "infra/web.ts", from: "viewerRequestCode(secret, pages, { sockets: !!sockets })", to: '""' },
    seenBy: "the Router adds the secret, sends streams to their function, and waits a minute",
  },
  "answers of one caller that another could get": {
    edit: { file: "infra/web.ts", from: "cachePolicyId: CACHING_DISABLED,", to: "" },
    seenBy: "CloudFront keeps nothing but the studio's assets, and joins no two requests",
  },
  "an API whose errors are the studio's page": {
    edit: {
      file: "infra/web.ts",
      from: "cdn.orderedCacheBehaviors =",
      to: `cdn.transform = {
        distribution: (args) => {
          args.customErrorResponses = [{ errorCode: 404, responseCode: 200, responsePagePath: "/index.html" }]
        },
      }
      cdn.orderedCacheBehaviors =`,
    },
    seenBy: "CloudFront keeps nothing but the studio's assets, and joins no two requests",
  },
  "assets that are not compressed": {
    edit: { file: "infra/web.ts", from: "compress: true", to: "compress: false" },
    seenBy: "CloudFront keeps nothing but the studio's assets, and joins no two requests",
  },
  "a page that browsers keep": {
    edit: { file: "infra/web.ts", from: '? FOREVER : "no-cache"', to: "? FOREVER : FOREVER" },
    seenBy:
      "browsers keep the studio's assets for ever, the bucket for a month once they are marked, and nobody its pages",
  },
  "assets that are dropped while they are needed": {
    edit: { file: "infra/web.ts", from: ", tags: { [RETIRED.key]: RETIRED.value }", to: "" },
    seenBy:
      "browsers keep the studio's assets for ever, the bucket for a month once they are marked, and nobody its pages",
  },
  "a studio that no one may read": {
    edit: { file: "infra/web.ts", from: "originAccessControlId: access.id,", to: "" },
    seenBy:
      "browsers keep the studio's assets for ever, the bucket for a month once they are marked, and nobody its pages",
  },
  "files of the studio that any account's CloudFront may read": {
    edit: { file: "infra/web.ts", from: "distribution/*`]", to: "distribution/*`, `*`]" },
    seenBy: "every bucket is private, and speaks TLS only; of the studio's, CloudFront may read the files",
  },
  "a page that may load scripts from anywhere": {
    edit: {
      file: "infra/web.ts",
      from: "contentSecurityPolicy: policy,",
      to: 'contentSecurityPolicy: "script-src *",',
    },
    seenBy: "the studio's pages may load nothing from elsewhere, and the API's answers keep what they say themselves",
  },
  "a page without headers": {
    edit: { file: "infra/web.ts", from: "responseHeadersPolicyId: headers.id,", to: "" },
    seenBy: "the studio's pages may load nothing from elsewhere, and the API's answers keep what they say themselves",
  },
  "a policy of the page for what a model made": {
    edit: { file: "infra/web.ts", from: "const override = false", to: "const override = true" },
    seenBy: "the studio's pages may load nothing from elsewhere, and the API's answers keep what they say themselves",
  },
  "an address that AWS lets nobody call without its own signature": {
    edit: { file: "infra/function.ts", from: 'authorizationType: "NONE"', to: 'authorizationType: "AWS_IAM"' },
    seenBy: "function URLs stream, and leave CORS to the app",
  },
  "a run that a rollback doesn't reach": {
    edit: { file: "infra/api.ts", from: "worker.invokeName", to: "worker.name" },
    seenBy: "whoever calls a function gets its live version, which a rollback moves",
  },
  "a schedule that calls the newest sweep": {
    edit: {
      file: "infra/schedule.ts",
      from: "function: sweep.arn",
      to: "function: sweep.arn.apply((arn) => arn.slice(0, -5))",
    },
    seenBy: "whoever calls a function gets its live version, which a rollback moves",
  },
  "a function without versions": {
    edit: { file: "infra/function.ts", from: "versioning: true,", to: "" },
    seenBy: "whoever calls a function gets its live version, which a rollback moves",
  },
  "a run that Lambda starts again by itself": {
    edit: { file: "infra/worker.ts", from: "retries: 0", to: "retries: 2" },
    seenBy: "events that come too late are left to the sweep, and nothing is tried again by itself",
  },
  "a worker that stops before its steps do": {
    edit: { file: "infra/worker.ts", from: 'timeout: "15 minutes"', to: 'timeout: "5 minutes"' },
    seenBy: "there are five functions, on arm64 and Node 24, each as large and as patient as it must be",
  },
  "another processor": {
    edit: { file: "infra/function.ts", from: '"arm64"', to: '"x86_64"' },
    seenBy: "there are five functions, on arm64 and Node 24, each as large and as patient as it must be",
  },
  "a sweep that knows the master key": {
    edit: {
      file: "infra/schedule.ts",
      from: "WORKER: worker.invokeName",
      to: 'WORKER: worker.name, KEY: process.env.SST_SECRET_MasterKey ?? ""',
    },
    seenBy: "each function is given only the secrets that it needs, and nobody else any",
  },
  "an api that knows the model's key": {
    edit: { file: "infra/api.ts", from: "key && keyOfTheWorker", to: "key" },
    seenBy: "each function is given only the secrets that it needs, and nobody else any",
  },
  "code of which nobody knows the version": {
    edit: { file: "infra/stage.ts", from: "VERSION: version,", to: 'VERSION: "0.0.0",' },
    seenBy: "the product's settings are those of the stage",
  },
  "a production that tells its faults to everyone": {
    edit: { file: "infra/stage.ts", from: "String(!production)", to: '"true"' },
    seenBy: "the product's settings are those of the stage",
  },
  "logs that are kept for ever": {
    edit: { file: "infra/function.ts", from: "retentionInDays: 30,", to: "" },
    seenBy: "every function writes to a log that forgets after a month",
  },
  "an api without traces": {
    edit: { file: "infra/api.ts", from: "traced: true", to: "traced: false" },
    seenBy: "what people wait for is traced, and the sweep, which nobody does, is not",
  },
  "traces of every sweep": {
    edit: { file: "infra/schedule.ts", from: "traced: false", to: "traced: true" },
    seenBy: "what people wait for is traced, and the sweep, which nobody does, is not",
  },
  "a sweep once an hour": {
    edit: { file: "infra/schedule.ts", from: "rate(1 minute)", to: "rate(1 hour)" },
    seenBy: "the sweep is called every minute",
  },
  "a NAT gateway": {
    edit: {
      file: "infra/worker.ts",
      from: "return createFunction(",
      to: 'new sst.aws.Vpc("Vpc", { nat: "managed" })\n  return createFunction(',
    },
    seenBy: "nothing stands that costs money while nobody works",
  },
  "an alarm too many": {
    edit: {
      file: "infra/alarm-list.ts",
      from: "StreamsFail:",
      to: "More: { metricName: 'ConcurrentExecutions', alarmDescription: 'More.' }, StreamsFail:",
    },
    seenBy: "every function and the table are watched, by what AWS counts anyway",
  },
  "a sweep that may crash unseen": {
    edit: {
      file: "infra/alarm-list.ts",
      from: 'SweepCrashes: { metricName: "Errors"',
      to: 'SweepCrashes: { metricName: "DeadLetterErrors"',
    },
    seenBy: "every function and the table are watched, by what AWS counts anyway",
  },
  "a table that nobody watches": {
    edit: { file: "infra/alarms.ts", from: "Object.entries(ALARMS_OF_THE_TABLE)", to: "Object.entries({})" },
    seenBy: "every function and the table are watched, by what AWS counts anyway",
  },
  "a schedule that stops unnoticed": {
    edit: { file: "infra/alarm-list.ts", from: 'treatMissingData: "breaching",', to: "" },
    seenBy: "every function and the table are watched, by what AWS counts anyway",
  },
  "runs that may fail unseen": {
    edit: { file: "infra/alarm-list.ts", from: 'metricName: "RunsFailed"', to: 'metricName: "Tokens"' },
    seenBy: "every function and the table are watched, by what AWS counts anyway",
  },
  "an alarm for what Lambda never lets happen": {
    edit: { file: "infra/alarm-list.ts", from: "longerThan(70)", to: "longerThan(75)" },
    seenBy: "an invocation that Lambda is about to end is told of",
  },
  "functions that speak fifty languages": {
    edit: { file: "infra/function.ts", from: ', plugins: "infra/plugins.mjs"', to: "" },
    seenBy: "what the api and the sweep load knows no graph, no model and no runner",
  },
  "an api that brings the worker's code": {
    edit: { file: "infra/api.ts", from: "aws/api.handler", to: "aws/worker.handler" },
    seenBy: "what the api and the sweep load knows no graph, no model and no runner",
  },
}

/** Faults that fail before any check runs. */
const refused: Record<string, { edit: Edit; reason: RegExp }> = {
  "a handler that isn't there": {
    edit: { file: "infra/schedule.ts", from: "aws/sweep.handler", to: "aws/sweeper.handler" },
    reason: /Handler not found: .*sweeper/,
  },
  "a studio that wasn't built": {
    edit: { file: "infra/web.ts", from: "process.env.STUDIO_FOLDER ??", to: '"packages/web/nothing" ??' },
    reason: /There is no built studio in .*npm run build/,
  },
  "a file of a kind that browsers aren't told of": {
    edit: { file: "infra/web.ts", from: "  svg:", to: "  svgs:" },
    reason: /The studio's favicon.svg has an unknown type/,
  },
  "a secret without a value": {
    edit: { file: "infra/secrets.ts", from: 'sst.Secret("MasterKey")', to: 'sst.Secret("OtherKey")' },
    reason: /Set a value for OtherKey/,
  },
}

/** The usual run tries a dozen faults. */
const tried = someOf(Object.entries(faults), 12)

const NEEDS_CODE: CheckName = "what the api and the sweep load knows no graph, no model and no runner"

describe("the checks of the infrastructure see", needs(missing), () => {
  let synths: Synth[]
  beforeAll(async () => {
    synths = await synthesiseAll(
      tried.map(([, { edit, seenBy }]) => ({
        stage: "prod",
        edits: [edit],
        bundle: seenBy === NEEDS_CODE,
      })),
    )
  }, 3 * LIMIT_MS)

  it.each(tried.map(([fault, { seenBy }], index) => ({ fault, seenBy, index })))("$fault", ({ seenBy, index }) => {
    const synth = synths[index]
    expect(synth).toBeDefined()
    expect(() => synth && checks[seenBy](synth)).toThrow()
  })

  it.each(someOf(Object.entries(refused), 1))("%s, which is refused at once", async (_fault, { edit, reason }) => {
    await expect(synthesise("prod", { edits: [edit], bundle: false })).rejects.toThrow(reason)
  })
})
