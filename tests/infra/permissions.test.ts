import { publicationBlobs } from "@switchyard/core/sessions/apps/app-store"
import { beforeAll, describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import { granted } from "./granted.ts"
import { allows } from "./policy.ts"
import { type Edit, missing, one, type Synth, synthesise, synthesiseAll } from "./synth/synth.ts"

const RECORDS = [
  "dynamodb:DeleteItem table",
  "dynamodb:GetItem table",
  "dynamodb:PutItem table",
  "dynamodb:Query table",
]
const READ_BLOBS = ["s3:GetObject bucket/s/*", "s3:ListBucket bucket"]
const WRITE_BLOBS = ["s3:AbortMultipartUpload bucket/s/*", "s3:PutObject bucket/s/*"]
const DELETE_BLOBS = ["s3:DeleteObject bucket/s/*"]
const READ_APPS = ["s3:GetObject bucket/apps/*"]
const WRITE_APPS = ["s3:AbortMultipartUpload bucket/apps/*", "s3:PutObject bucket/apps/*"]
const DELETE_APPS = ["s3:DeleteObject bucket/apps/*"]
// Versions from before there were aliases call the function itself, until they are replaced.
const START_RUNS = ["lambda:InvokeFunction WorkerFunction", "lambda:InvokeFunction WorkerFunction:live"]
const LISTS = ["dynamodb:Query table/index/by_list"]
// X-Ray's actions have no resources.
const TRACES = ["xray:PutTelemetryRecords *", "xray:PutTraceSegments *"]
const logs = (name: string) => [`logs:CreateLogStream ${name}:*`, `logs:PutLogEvents ${name}:*`]

/** Permissions of each role. Any other permission or role is a fault. */
const ALLOWED: Record<string, { is: string; may: string[] }> = {
  ApiRole: {
    is: "lambda.amazonaws.com",
    may: [
      ...[...RECORDS, ...LISTS, ...READ_BLOBS, ...WRITE_BLOBS, ...WRITE_APPS],
      ...[...START_RUNS, ...TRACES, ...logs("ApiLogs")],
    ],
  },
  StreamRole: {
    is: "lambda.amazonaws.com",
    may: [...RECORDS, ...LISTS, ...READ_BLOBS, ...WRITE_BLOBS, ...START_RUNS, ...TRACES, ...logs("StreamLogs")],
  },
  // The worker starts nothing, so it can't start itself.
  WorkerRole: {
    is: "lambda.amazonaws.com",
    may: [...RECORDS, ...READ_BLOBS, ...WRITE_BLOBS, ...DELETE_BLOBS, ...TRACES, ...logs("WorkerLogs")],
  },
  // The sweep writes only records.
  SweepRole: {
    is: "lambda.amazonaws.com",
    may: [...RECORDS, ...READ_BLOBS, ...DELETE_BLOBS, ...DELETE_APPS, ...START_RUNS, ...logs("SweepLogs")],
  },
  // The preview shows content from a model, so it has few permissions.
  PreviewRole: {
    is: "lambda.amazonaws.com",
    may: ["dynamodb:GetItem table", "dynamodb:Query table", ...READ_BLOBS, ...READ_APPS, ...logs("PreviewLogs")],
  },
  EveryMinuteRole: { is: "scheduler.amazonaws.com", may: ["lambda:InvokeFunction SweepFunction:live"] },
}

const allowed = Object.fromEntries(
  Object.entries(ALLOWED).map(([role, { is, may }]) => [role, { is, may: [...may].sort() }]),
)

describe("what each role may do", needs(missing), () => {
  let synth: Synth
  beforeAll(async () => {
    synth = await synthesise("prod", { bundle: false })
  })

  it("is what is written here, and nothing else", () => {
    expect(granted(synth)).toEqual(allowed)
  })

  it("is to call the models of Bedrock that are named, and to ask about them, and no more", async () => {
    const own = "arn:aws:bedrock:us-west-2:123456789012:application-inference-profile/a1b2"
    const BEDROCK_MODELS = `us.anthropic.claude-sonnet-4-5-v1:0, amazon.nova-pro-v1:0,${own}`
    const env = { BEDROCK_MODELS, BEDROCK_REGION: "us-east-1" }
    const synth = await synthesise("prod", { env, bundle: false })
    const added = Object.entries(granted(synth)).flatMap(([role, { may }]) =>
      may.filter((each) => !allowed[role]?.may.includes(each)).map((each) => `${role} ${each}`),
    )
    const model = (id: string, region = "us-east-1") => `arn:aws:bedrock:${region}::foundation-model/${id}`
    const claude = "anthropic.claude-sonnet-4-5-v1:0"
    const nova = "amazon.nova-pro-v1:0"
    const profile = /arn:aws:bedrock:us-east-1:\d{12}:inference-profile\/us\.[\w.:-]+/.exec(added.join("\n"))?.[0] ?? ""
    const invoke = "WorkerRole bedrock:InvokeModelWithResponseStream"
    const through = "if bedrock:InferenceProfileArn is"
    expect(added.sort()).toEqual(
      [
        "ApiRole bedrock:GetFoundationModelAvailability *",
        ...[own, profile].map((arn) => `ApiRole bedrock:GetInferenceProfile ${arn}`),
        ...[own, profile, model(nova)].map((arn) => `${invoke} ${arn}`),
        `${invoke} ${model("*", "*")} ${through} ${own}`,
        `${invoke} ${model(claude, "*")} ${through} ${profile}`,
      ].sort(),
    )
    const action = "bedrock:InvokeModelWithResponseStream"
    const may = (resource: string, arn?: string) =>
      allows(synth, "WorkerRole", { action, resource, context: arn ? { "bedrock:InferenceProfileArn": arn } : {} })
    expect([may(model(nova)), may(profile), may(model(claude, "us-east-2"), profile)]).toEqual([true, true, true])
    // A profile's models may only be called through the profile.
    expect([may(model(claude)), may(model(nova, "eu-west-1")), may(model(nova), `${own}c3`)]).toEqual([
      false,
      false,
      true,
    ])
    expect(may(model("any.model"), `${own}c3`)).toBe(false)
  })

  it("is to call Claude on Bedrock for runners, if the stage lets agents, and no other model", async () => {
    const models = "anthropic.claude-sonnet-5,amazon.nova-pro-v1:0"
    const env = { AGENTS: "on", BEDROCK_MODELS: models, BEDROCK_REGION: "us-east-1" }
    const sessions = async (more: Record<string, string>) => {
      const { SessionRole } = granted(await synthesise("prod", { env: { ...env, ...more }, bundle: false }))
      return SessionRole?.may.filter((each) => each.startsWith("bedrock:"))
    }
    expect(await sessions({})).toEqual([])
    const claude = "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-5"
    expect(await sessions({ BEDROCK_FOR_AGENTS: "on" })).toEqual([`bedrock:InvokeModelWithResponseStream ${claude}`])
  })

  it("is enough to publish a page, to serve it and to remove it, under the keys that core uses", () => {
    const { BUCKET } = one(synth, "Function", "ApiFunction").environment.variables
    const resource = `arn:aws:s3:::${BUCKET}/${publicationBlobs("tea", "pub_1")}manifest`
    const may = (action: string) =>
      ["ApiRole", "StreamRole", "WorkerRole", "PreviewRole", "SweepRole"].filter((role) =>
        allows(synth, role, { action: `s3:${action}`, resource }),
      )
    expect(may("PutObject")).toEqual(["ApiRole"])
    expect(may("GetObject")).toEqual(["PreviewRole"])
    expect(may("DeleteObject")).toEqual(["SweepRole"])
  })

  describe("would be seen to be more if a role could", () => {
    let synths: Synth[]
    beforeAll(async () => {
      synths = await synthesiseAll(Object.values(MORE).map((edit) => ({ stage: "prod", edits: [edit], bundle: false })))
    })

    it.each(Object.keys(MORE).map((what, index) => ({ what, index })))("$what", ({ index }) => {
      const synth = synths[index]
      expect(synth && Object.keys(granted(synth))).toEqual(expect.arrayContaining(Object.keys(ALLOWED)))
      expect(synth && granted(synth)).not.toEqual(allowed)
    })
  })
})

const MORE: Record<string, Edit> = {
  "do anything to the bucket": {
    file: "infra/storage.ts",
    from: 'actions: ["s3:ListBucket"]',
    to: 'actions: ["s3:*"]',
  },
  "do a thing more": {
    file: "infra/storage.ts",
    from: 'actions: ["s3:ListBucket"]',
    to: 'actions: ["s3:ListBucket", "s3:PutBucketPolicy"]',
  },
  "use every table": { file: "infra/storage.ts", from: "resources: [table.arn]", to: 'resources: ["*"]' },
  "read outside of sessions": { file: "infra/storage.ts", from: "/s/*`", to: "/*`" },
  "be taken on by the account": { file: "infra/function.ts", from: "role.assumeRolePolicy = onlyLambda", to: "" },
  "write to every log": { file: "infra/function.ts", from: "role.managedPolicyArns = []", to: "" },
  "do what a link allows": {
    file: "infra/function.ts",
    from: "...args,",
    to: '...args, link: name === "Sweep" ? [new sst.aws.Bucket("Other")] : [],',
  },
}
