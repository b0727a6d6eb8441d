import { beforeAll, describe, expect, it } from "vitest"
import { type CheckName, checks } from "./checks.ts"
import { type Edit, missing, type Synth, synthesise, synthesiseAll } from "./synth/synth.ts"

/** A fault, and the check that must see it. */
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
    edit: { file: "infra/storage.ts", from: "cors: false,", to: 'cors: false, access: "public",' },
    seenBy: "every bucket is private, and speaks TLS only",
  },
  "a bucket that speaks without TLS": {
    edit: { file: "infra/storage.ts", from: "cors: false,", to: "cors: false, enforceHttps: false," },
    seenBy: "every bucket is private, and speaks TLS only",
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
    edit: { file: "infra/api.ts", from: "streaming: true", to: "streaming: false" },
    seenBy: "function URLs stream, and leave CORS to the app",
  },
  "a function that answers every origin by itself": {
    edit: { file: "infra/api.ts", from: "url: { cors: false,", to: "url: {" },
    seenBy: "function URLs stream, and leave CORS to the app",
  },
  "a Router that gives up after twenty seconds": {
    edit: { file: "infra/api.ts", from: ', readTimeout: "60 seconds"', to: "" },
    seenBy: "the Router adds the secret, sends streams to their function, and waits a minute",
  },
  "a Router without the secret": {
    edit: { file: "infra/web.ts", from: "atTheEdge)", to: '() => "")' },
    seenBy: "the Router adds the secret, sends streams to their function, and waits a minute",
  },
  "answers of one caller that another could get": {
    edit: { file: "infra/web.ts", from: "cachePolicyId: CACHING_DISABLED,", to: "" },
    seenBy: "CloudFront keeps nothing, and joins no two requests",
  },
  "a Router that signs, and takes the Authorization header for it": {
    edit: { file: "infra/web.ts", from: "edge: {", to: 'protection: "oac", edge: {' },
    seenBy: "function URLs stream, and leave CORS to the app",
  },
  "a run that Lambda starts again by itself": {
    edit: { file: "infra/worker.ts", from: "retries: 0", to: "retries: 2" },
    seenBy: "events that come too late are left to the sweep, and nothing is tried again by itself",
  },
  "a worker that stops before its steps do": {
    edit: { file: "infra/worker.ts", from: 'timeout: "15 minutes"', to: 'timeout: "5 minutes"' },
    seenBy: "there are four functions, on arm64 and Node 24, each as large and as patient as it must be",
  },
  "another processor": {
    edit: { file: "infra/function.ts", from: '"arm64"', to: '"x86_64"' },
    seenBy: "there are four functions, on arm64 and Node 24, each as large and as patient as it must be",
  },
  "a sweep that knows the master key": {
    edit: {
      file: "infra/schedule.ts",
      from: "WORKER: worker.name",
      to: 'WORKER: worker.name, KEY: process.env.SST_SECRET_MasterKey ?? ""',
    },
    seenBy: "each function is given only the secrets that it needs, and nobody else any",
  },
  "an api that knows the model's key": {
    edit: { file: "infra/api.ts", from: 'key && "known to the worker"', to: "key" },
    seenBy: "each function is given only the secrets that it needs, and nobody else any",
  },
  "a production that tells its faults to everyone": {
    edit: { file: "infra/stage.ts", from: "String(!production)", to: '"true"' },
    seenBy: "the product's settings are those of the stage",
  },
  "logs that are kept for ever": {
    edit: { file: "infra/function.ts", from: "{ retentionInDays: 30 }", to: "{}" },
    seenBy: "every function writes to a log that forgets after a month",
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
    edit: { file: "infra/alarms.ts", from: 'alarm("ApiFails"', to: 'alarm("More", api, {})\n  alarm("ApiFails"' },
    seenBy: "at most five alarms watch what Lambda counts anyway",
  },
  "an api that brings the worker's code": {
    edit: { file: "infra/api.ts", from: "aws/api.handler", to: "aws/worker.handler" },
    seenBy: "what the api and the sweep load knows no graph, no model and no runner",
  },
}

/** What never gets as far as a check. */
const refused: Record<string, { edit: Edit; reason: RegExp }> = {
  "a handler that isn't there": {
    edit: { file: "infra/schedule.ts", from: "aws/sweep.handler", to: "aws/sweeper.handler" },
    reason: /Handler not found: .*sweeper/,
  },
  "a secret without a value": {
    edit: { file: "infra/secrets.ts", from: 'sst.Secret("MasterKey")', to: 'sst.Secret("OtherKey")' },
    reason: /Set a value for OtherKey/,
  },
}

const NEEDS_CODE: CheckName = "what the api and the sweep load knows no graph, no model and no runner"

describe.skipIf(missing)("the checks of the infrastructure see", () => {
  let synths: Synth[]
  beforeAll(async () => {
    synths = await synthesiseAll(
      Object.values(faults).map(({ edit, seenBy }) => ({
        stage: "prod",
        edits: [edit],
        bundle: seenBy === NEEDS_CODE,
      })),
    )
  }, 300_000)

  it.each(Object.entries(faults).map(([fault, { seenBy }], index) => ({ fault, seenBy, index })))(
    "$fault",
    ({ seenBy, index }) => {
      const synth = synths[index]
      expect(synth).toBeDefined()
      expect(() => synth && checks[seenBy](synth)).toThrow()
    },
  )

  it.each(Object.entries(refused))("%s, which is refused at once", async (_fault, { edit, reason }) => {
    await expect(synthesise("prod", { edits: [edit], bundle: false })).rejects.toThrow(reason)
  })
})
