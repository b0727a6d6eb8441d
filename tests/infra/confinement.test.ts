import { beforeAll, describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import { allows, type Request } from "./policy.ts"
import { type Edit, missing, one, type Synth, synthesiseAll } from "./synth/synth.ts"

// Evaluates a runner's credentials against the deployed policies.

const OWN = "9f8e7d6c5b4a"
const TABLE = "arn:aws:dynamodb:eu-central-1:123456789012:table/"
const tagged = { "aws:PrincipalTag/session": OWN }

function resources(synth: Synth) {
  const { TABLE: table, BUCKET: bucket } = one(synth, "Function", "CredentialsFunction").environment.variables
  return { table: `${TABLE}${table}`, bucket: `arn:aws:s3:::${bucket}` }
}

const record = (synth: Synth, action: string, partition: string, of = ""): Request => ({
  action: `dynamodb:${action}`,
  resource: `${resources(synth).table}${of}`,
  context: { ...tagged, "dynamodb:LeadingKeys": [partition] },
})
const blob = (synth: Synth, action: string, key: string): Request => ({
  action: `s3:${action}`,
  resource: `${resources(synth).bucket}/${key}`,
  context: tagged,
})
const list = (synth: Synth, prefix: string | undefined): Request => ({
  action: "s3:ListBucket",
  resource: resources(synth).bucket,
  context: { ...tagged, ...(prefix !== undefined && { "s3:prefix": prefix }) },
})

const OTHERS = [
  ...["s/0a1b2c3d/log", `s/${OWN}0/log`, `s/${OWN}`, `s//${OWN}/log`, `x/s/${OWN}/log`, `s/*/log`, "s/", "", "*"],
  ...[`S/${OWN}/log`, `s/0a1b2c3d/../${OWN}/log`, `s/\${aws:PrincipalTag/session}/log`],
  ...[
    `runner-tickets/${OWN}`,
    "tokens",
    "accounts/ada",
    "run-keys",
    "due",
    "owners/ada",
    "git-hosts/ada",
    "prepared/ada",
  ],
]
const ACTIONS = ["GetItem", "PutItem", "DeleteItem", "Query"]

describe("a runner's credentials", needs(missing), () => {
  let synth: Synth
  let faulty: Synth[]
  beforeAll(async () => {
    const edits = [[], ...Object.values(FAULTS).map((edit) => [edit])]
    const synths = await synthesiseAll(
      edits.map((each) => ({ stage: "prod", edits: each, bundle: false })),
      { AGENTS: "on" },
    )
    ;[synth, ...faulty] = synths as [Synth, ...Synth[]]
  })

  /** Returns all requests that the role allows although its tag doesn't cover them. */
  function reached(of: Synth): Request[] {
    const own = `s/${OWN}/log`
    const requests = [
      ...OTHERS.flatMap((partition) => ACTIONS.map((action) => record(of, action, partition))),
      ...["Scan", "BatchGetItem", "BatchWriteItem", "UpdateItem", "PartiQLSelect"].map((action) =>
        record(of, action, own),
      ),
      ...ACTIONS.map((action) => record(of, action, own, "/index/by_list")),
      ...ACTIONS.map((action) => ({ ...record(of, action, own), context: tagged })),
      ...ACTIONS.map((action) => ({
        ...record(of, action, own),
        context: { ...tagged, "dynamodb:LeadingKeys": [own, "s/0a1b2c3d/log"] },
      })),
      ...OTHERS.filter((key) => key !== "").flatMap((key) =>
        ["GetObject", "PutObject", "DeleteObject", "AbortMultipartUpload"].map((action) => blob(of, action, key)),
      ),
      ...["GetObjectVersion", "PutObjectAcl", "PutBucketPolicy"].map((action) => blob(of, action, `s/${OWN}/1/a`)),
      ...[undefined, "", "s", "s/", `s/${OWN}`, "s/0a1b2c3d/"].map((prefix) => list(of, prefix)),
      { action: "sts:AssumeRole", resource: "arn:aws:iam::123456789012:role/any", context: tagged },
      {
        action: "lambda:InvokeFunction",
        resource: "arn:aws:lambda:eu-central-1:123456789012:function:any",
        context: tagged,
      },
      // Without a tag, not even keys with an empty session are allowed.
      { ...record(of, "GetItem", "s//log"), context: { "dynamodb:LeadingKeys": ["s//log"] } },
      { ...blob(of, "GetObject", "s//1/a"), context: {} },
    ]
    return requests.filter((request) => allows(of, "SessionRole", request))
  }

  it("are good for its own session's records and blobs", () => {
    const own = [
      ...["log", "launches", "term/pty_1", "inbox/1"].flatMap((name) =>
        ACTIONS.map((action) => record(synth, action, `s/${OWN}/${name}`)),
      ),
      ...["GetObject", "PutObject", "DeleteObject"].map((action) => blob(synth, action, `s/${OWN}/1/artifacts/a`)),
      list(synth, `s/${OWN}/`),
      list(synth, `s/${OWN}/1/artifacts/a`),
    ]
    expect(own.filter((request) => !allows(synth, "SessionRole", request))).toEqual([])
  })

  it("are good for nothing else", () => {
    expect(reached(synth)).toEqual([])
  })

  it("are given by one function alone, for one session at a time, and a task without a ticket may only ask for them", () => {
    const { assumeRolePolicy, name } = one(synth, "Role", "SessionRole")
    const fn = one(synth, "Function", "CredentialsFunction")
    expect(JSON.parse(assumeRolePolicy).Statement).toEqual([
      {
        Effect: "Allow",
        Action: ["sts:AssumeRole", "sts:TagSession"],
        Principal: { AWS: expect.stringMatching(/:role\/.*CredentialsRole/) },
        Condition: {
          StringLike: { "aws:RequestTag/session": "?*" },
          "ForAllValues:StringEquals": { "aws:TagKeys": ["session"] },
        },
      },
    ])
    expect(fn.environment.variables).toMatchObject({ SESSION_ROLE: `arn:aws:iam::123456789012:role/${name}` })
    expect(Object.keys(fn.environment.variables)).not.toContain("MASTER_KEY")
    const { inlinePolicies } = one(synth, "Role", "RunnerRole")
    const asks = (name: string) => ({ Effect: "Allow", Action: ["lambda:InvokeFunction"], Resource: [name, name] })
    const statements = inlinePolicies[0].policy.replaceAll(/"arn:[^"]+-(Credentials|Logins)Function-[^"]+"/g, '"$1"')
    expect(JSON.parse(statements).Statement).toEqual(["Credentials", "Logins"].map(asks))
    const { variables } = one(synth, "Function", "LoginsFunction").environment
    expect(Object.keys(variables)).toContain("MASTER_KEY")
    expect(Object.keys(variables)).not.toContain("SESSION_ROLE")
  })

  it.each(Object.keys(FAULTS).map((what, index) => ({ what, index })))("would be seen to be: $what", ({ index }) => {
    const of = faulty[index]
    expect(of && reached(of).length).toBeGreaterThan(0)
  })
})

const FAULTS: Record<string, Edit> = {
  "every session's": { file: "infra/credentials.ts", from: "const own =", to: 'const own = "s/*" ||' },
  "of sessions whose names begin alike": { file: "infra/credentials.ts", from: "{SESSION}/*`", to: "{SESSION}*`" },
  "for a request without a key": {
    file: "infra/credentials.ts",
    from: '{ test: "Null", variable: "dynamodb:LeadingKeys", values: ["false"] },',
    to: "",
  },
  "for any list": {
    file: "infra/credentials.ts",
    from: 'conditions: [{ test: "StringLike", variable: "s3:prefix", values: [own] }],',
    to: "",
  },
  "for the index": {
    file: "infra/credentials.ts",
    from: "...storage.records,",
    to: '...storage.records, resources: ["*"],',
  },
}
