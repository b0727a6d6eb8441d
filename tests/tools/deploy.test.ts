import { execFile } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { KNOWN_SECRET } from "../fixtures/model-server/bedrock-wire.ts"
import { startModelServer } from "../fixtures/model-server/server.ts"
import { someOf } from "../settings.ts"

const tools = join(import.meta.dirname, "..", "..", "tools")

/**
 * A stand-in for the SST tool, which would contact AWS. Records its arguments and the contents of a file of secrets.
 */
const SST = `#!${process.execPath}
const { appendFileSync, readFileSync, statSync } = require("node:fs")
const args = process.argv.slice(2)
const file = args[1] === "load" ? { loaded: readFileSync(args[2], "utf8"), mode: statSync(args[2]).mode & 0o777 } : {}
appendFileSync(process.env.ASKED, JSON.stringify({ args, telemetry: process.env.SST_TELEMETRY_DISABLED, ...file }) + "\\n")
const isBuilt = readFileSync(process.env.ASKED, "utf8").includes('"npm"')
const secrets = isBuilt ? (process.env.SECRETS_ONCE_BUILT ?? process.env.SECRETS) : process.env.SECRETS
// As another deployment that began a moment later, and is here first.
if (args[1] === "load" && process.env.BESIDE) {
  const { BESIDE, ...env } = process.env
  const { status, stderr } = require("node:child_process").spawnSync(process.execPath, BESIDE.split(" "), { env, encoding: "utf8" })
  appendFileSync(process.env.ASKED, JSON.stringify({ args: ["beside", status, stderr] }) + "\\n")
}
if (args[0] === "deploy" && process.env.INTERRUPTED) process.kill(process.ppid, "SIGINT")
if (args[1] === "list" && secrets === "") { console.error("✕  No secrets found"); process.exit(1) }
if (args[1] === "list") console.log("# switchyard/prod\\n" + secrets.replaceAll(" ", "\\n"))
if (args[0] === "deploy") process.exit(Number(process.env.DEPLOY_EXITS ?? 0))
if (args[0] === "remove") process.exit(Number(process.env.REMOVE_EXITS ?? 0))
`

/** A stand-in for npm, which builds the studio. */
const NPM = `#!${process.execPath}
require("node:fs").appendFileSync(process.env.ASKED, JSON.stringify({ args: ["npm", ...process.argv.slice(2)] }) + "\\n")
process.exit(Number(process.env.BUILD_EXITS ?? 0))
`

/** A stand-in for AWS's command line. With `VCPUS=6.0`, the account is new. */
const AWS_CLI = `#!${process.execPath}
const { VCPUS, AWS_REGION: region } = process.env
const args = process.argv.slice(2)
if (args.at(-1) !== region) throw new Error("In " + args.at(-1))
if (args[0] === "service-quotas") console.log(VCPUS)
else if (args[1] === "describe-subnets") console.log(args.includes("subnet-0a1b2c3d") ? "vpc-1\\tvpc-1" : process.exit(254))
else if (args[1] === "describe-security-groups") console.log(args.includes("sg-0a1b2c3d") ? "vpc-1" : "vpc-2")
else if (args[0] === "cloudfront") console.log(process.env.DISTRIBUTIONS ?? 1)
else if (args[0] === "ec2") console.log(args.includes("Name=opt-in-status,Values=opt-in-not-required") ? process.env.ZONES ?? 3 : 5)
else if (VCPUS !== "6.0") console.log("AWSServiceRoleForECS")
else { console.error("An error occurred (NoSuchEntity) when calling the GetRole operation"); process.exit(254) }
`

interface Asked {
  args: string[]
  telemetry: string
  loaded?: string
  mode?: number
}

const LIMIT = { AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 1000 } }
/** Two stages with one function each, in Lambda's format. */
const DEPLOYED = {
  Functions: ["prod", "try"].map((stage) => ({
    FunctionName: `switchyard-${stage}-WorkerFunction-a`,
    Environment: { Variables: { TABLE: "records", BUCKET: "blobs" } },
  })),
  Versions: [{ Version: "1", Environment: { Variables: { VERSION: "0.1.0+aaaaaaaaaaaa" } } }],
  FunctionVersion: "1",
}

let folder: string
let aws: Server
let requests: string[]
let answer: { status: number; body: object }
let account: string
/** Regions of the account's buckets by name. */
let buckets: Record<string, string>
/** True if the lock can't be removed. `lock` is the object that only one deployment can put. */
let lockStays: boolean
let lock: { etag: string; modifiedAt: Date } | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "switchyard-deploy-"))
  mkdirSync(join(folder, "bin"))
  for (const [name, text] of Object.entries({ sst: SST, npm: NPM })) {
    writeFileSync(join(folder, "bin", name), text)
    chmodSync(join(folder, "bin", name), 0o755)
  }
  writeFileSync(join(folder, "asked"), "")
  requests = []
  account = "111111111111"
  buckets = { "sst-state-abc": "eu-central-1" }
  lock = undefined
  lockStays = false
  answer = { status: 200, body: { ...LIMIT, ...DEPLOYED } }
  aws = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    // A request to ECS, which has no cluster.
    if (request.headers["x-amz-target"]) return void response.end("{}")
    const xml = inXml(`${request.method} ${request.url}`)
    if (request.url?.startsWith("/sst-state-abc/")) return void answerLock(request, response)
    if (xml) return void response.writeHead(answer.status, { "content-type": "text/xml" }).end(xml)
    response.writeHead(answer.status, {
      "content-type": "application/json",
      "x-amzn-errortype": "UnrecognizedClientException",
    })
    response.end(JSON.stringify(answer.body))
  })
  aws.listen(0, "127.0.0.1")
  await once(aws, "listening")
})
afterEach(async () => {
  aws.close()
  await rm(folder, { recursive: true })
})

/** Answers like S3, as far as a lock needs it. */
function answerLock(request: IncomingMessage, response: ServerResponse): void {
  const { "if-none-match": ifNone, "if-match": ifMatch } = request.headers
  request.resume()
  if (request.method === "PUT" && ((ifNone && lock) || (ifMatch && ifMatch !== lock?.etag))) {
    response.writeHead(412).end("<Error><Code>PreconditionFailed</Code></Error>")
    return
  }
  if (request.method === "PUT") lock = { etag: `"${crypto.randomUUID()}"`, modifiedAt: new Date() }
  if (request.method === "DELETE" && lockStays) {
    response.writeHead(403).end("<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
    return
  }
  if (request.method === "DELETE") lock = undefined
  response
    .writeHead(lock ? 200 : 204, lock && { etag: lock.etag, "last-modified": lock.modifiedAt.toUTCString() })
    .end()
}

/**
 * Answers like STS, with the owner of the credentials, and like S3, with the buckets of every region and each stage's
 * studio.
 */
function inXml(request: string): string | undefined {
  if (request === "POST /" && answer.status !== 200) {
    const { message } = answer.body as { message?: string }
    return `<ErrorResponse><Error><Code>InvalidClientTokenId</Code><Message>${message}</Message></Error></ErrorResponse>`
  }
  if (request === "POST /") {
    const result = `<GetCallerIdentityResult><Account>${account}</Account></GetCallerIdentityResult>`
    return `<GetCallerIdentityResponse>${result}</GetCallerIdentityResponse>`
  }
  if (request.includes("/index.html")) return "<CopyObjectResult></CopyObjectResult>"
  if (!request.startsWith("GET /?")) return undefined
  const prefix = new URL(request.slice(4), "http://s3").searchParams.get("prefix") ?? ""
  const all = prefix.endsWith("-studiobucket-") ? { [`${prefix}a`]: "eu-central-1" } : buckets
  const found = Object.entries(all).filter(([name]) => name.startsWith(prefix))
  const listed = found.map(
    ([name, region]) => `<Bucket><Name>${name}</Name><BucketRegion>${region}</BucketRegion></Bucket>`,
  )
  return `<ListAllMyBucketsResult><Buckets>${listed.join("")}</Buckets></ListAllMyBucketsResult>`
}

const ACCOUNT = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test", AWS_REGION: "eu-central-1" }
const ALL_SET =
  "MasterKey=the-master-key AdminToken=the-token OriginSecret=the-origin GroqApiKey=the-groq-key AnthropicApiKey=the-anthropic-key OpenaiApiKey=the-openai-key LocalApiKey=the-local-key BraveApiKey=the-brave-key SerperApiKey=the-serper-key"

/** Runs a tool in this environment only. Resolves to its exit code and output. */
async function run(tool: string, args: string[], env: Record<string, string> = {}) {
  const { port } = aws.address() as AddressInfo
  const all = {
    PATH: [join(folder, "bin"), dirname(process.execPath)].join(delimiter),
    HOME: folder,
    ASKED: join(folder, "asked"),
    SECRETS: "",
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_EC2_METADATA_DISABLED: "true",
    ...env,
  }
  return new Promise<{ code: number; said: string }>((resolve) => {
    execFile(
      process.execPath,
      [join(tools, `${tool}.ts`), ...args],
      { env: all, cwd: folder },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, said: stdout + stderr }),
    )
  })
}

function asked(): Asked[] {
  const lines = readFileSync(join(folder, "asked"), "utf8").trim()
  return lines ? lines.split("\n").map((line) => JSON.parse(line)) : []
}

describe("the doctor", () => {
  it("names what is missing, says what helps, and asks nobody, where there is no account", async () => {
    const { code, said } = await run("doctor", [])
    expect(code).toBe(1)
    expect(said).toContain("✗ There are no AWS credentials.")
    expect(said).toContain("aws configure sso")
    expect(said).toContain("✗ No AWS region is set.")
    expect(said).toContain("export AWS_REGION=")
    expect(said).toContain("Not ready for prod")
    expect(requests).toEqual([])
    expect(asked()).toEqual([])
  })

  it("asks nobody while there is no region to ask in", async () => {
    const { AWS_REGION: _, ...credentials } = ACCOUNT
    expect(await run("doctor", [], credentials)).toMatchObject({ code: 1 })
    expect(requests).toEqual([])
  })

  it("finds credentials and region in a profile", async () => {
    mkdirSync(join(folder, ".aws"))
    const config = "[default]\nregion = us-east-1\n[profile work]\nregion = eu-west-1\n"
    writeFileSync(join(folder, ".aws", "config"), config)
    writeFileSync(join(folder, ".aws", "credentials"), "[work]\naws_access_key_id = a\naws_secret_access_key = b\n")
    const { said } = await run("doctor", [], { AWS_PROFILE: "work", SECRETS: ALL_SET })
    expect(said).toContain("AWS credentials come from the profile work.")
    expect(said).toContain("The region is eu-west-1.")
    expect((await run("doctor", [])).said).toContain("✗ There are no AWS credentials.")
  })

  it("is content when nothing is missing, and shows no secret", async () => {
    const { code, said } = await run("doctor", ["--stage", "prod"], { ...ACCOUNT, SECRETS: ALL_SET })
    expect(code).toBe(0)
    expect(said).toContain("may run 1000 functions at once")
    expect(said).toContain("Every secret has a value.")
    expect(said).toContain("Ready: npm run deploy -- --stage prod")
    expect(said).not.toMatch(/the-(token|origin|\w+-key)/)
    expect(said).toContain("✓ The account and region are 111111111111/eu-central-1.")
    expect(requests).toEqual([
      "GET /2016-08-19/account-settings",
      "POST /",
      expect.stringMatching(/^GET \/\?.*ListBuckets$/),
    ])
    expect(asked()).toEqual([{ args: ["secret", "list", "--stage", "prod"], telemetry: "1" }])
  })

  it("gives the command for each secret without a value", async () => {
    const { code, said } = await run("doctor", ["--stage", "try"], { ...ACCOUNT, SECRETS: "AdminToken=x" })
    expect(code).toBe(0)
    expect(said).toContain('npx sst secret set MasterKey "$(openssl rand -base64 32)" --stage try')
    expect(said).toContain('npx sst secret set OriginSecret "$(openssl rand -hex 32)" --stage try')
    expect(said).toContain("npx sst secret set GroqApiKey YOUR_KEY --stage try")
    expect(said).toContain("Every caller needs their own model key, unless you set BEDROCK_MODELS or one of these:")
    expect(said).toContain("npx sst secret set BraveApiKey YOUR_KEY --stage try")
    expect(said).not.toContain("secret set AdminToken")
  })

  it("names the models of Bedrock that the account can't use yet, and asks for no key then", async () => {
    const bedrock = await startModelServer([])
    onTestFinished(bedrock.close)
    const models = { BEDROCK_MODELS: "amazon.nova-pro-v1:0,meta.closed-v1:0", BEDROCK_BASE_URL: bedrock.url }
    const env = { ...ACCOUNT, ...models, AWS_SECRET_ACCESS_KEY: KNOWN_SECRET, SECRETS: "AdminToken=x" }
    const { code, said } = await run("doctor", ["--stage", "try"], env)
    expect(code).toBe(0)
    expect(said).toContain("! The AWS account has no access to bedrock/meta.closed-v1:0 yet.")
    expect(said).not.toContain("their own model key")
    const fine = await run("doctor", ["--stage", "try"], { ...env, BEDROCK_MODELS: "amazon.nova-pro-v1:0" })
    expect(fine.said).toContain("✓ The account has access to amazon.nova-pro-v1:0.")
    const invalid = await run("doctor", ["--stage", "try"], { ...env, BEDROCK_MODELS: "bedrock/amazon.nova-pro-v1:0" })
    expect(invalid.said).toContain('✗ BEDROCK_MODELS: Leave out "bedrock/"')
  })

  it("says how to get more than the ten functions at once that a new account has", async () => {
    answer.body = { AccountLimit: { ConcurrentExecutions: 10 } }
    const { code, said } = await run("doctor", [], { ...ACCOUNT, SECRETS: ALL_SET })
    expect(code).toBe(0)
    expect(said).toContain("may run 10 functions at once")
    expect(said).toContain("aws service-quotas request-service-quota-increase")
  })

  it.each(
    someOf<[string, number, string]>(
      [
        ["api=50,stream=200,sweep=2", 0, "✓ RESERVED_CONCURRENCY reserves 252 of the 1000 available."],
        [
          "api=500,stream=401",
          1,
          "✗ RESERVED_CONCURRENCY reserves 901 of the 1000 available, but AWS requires 100 unreserved ones.",
        ],
        ["api=50,sweeper=2", 1, '✗ RESERVED_CONCURRENCY contains "sweeper=2".'],
        ["sweep=0", 1, '✗ RESERVED_CONCURRENCY contains "sweep=0".'],
      ],
      2,
    ),
  )("looks whether %s can be reserved", async (RESERVED_CONCURRENCY, code, says) => {
    const told = await run("doctor", [], { ...ACCOUNT, SECRETS: ALL_SET, RESERVED_CONCURRENCY })
    expect(told.code).toBe(code)
    expect(told.said).toContain(says)
  })

  it("counts what functions outside the stage have reserved, but not what the stage's own have", async () => {
    const limit = { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 400 }
    answer.body = { ...DEPLOYED, AccountLimit: limit, ReservedConcurrentExecutions: 200 }
    const env = { ...ACCOUNT, SECRETS: ALL_SET }
    expect((await run("doctor", [], env)).said).toContain("RESERVED_CONCURRENCY=worker=180,preview=30,stream=240")
    const { code, said } = await run("doctor", [], { ...env, RESERVED_CONCURRENCY: "api=501" })
    expect([code, said]).toEqual([1, expect.stringContaining("reserves 501 of the 600 available, but AWS requires")])
  })

  it("says how to keep open tabs and runs from using all functions, if the account allows enough", async () => {
    const env = { ...ACCOUNT, SECRETS: ALL_SET }
    const shares = async (more = {}) =>
      /RESERVED_CONCURRENCY=(.*)/.exec((await run("doctor", [], { ...env, ...more })).said)?.[1]
    expect(await shares()).toBe("worker=300,preview=50,stream=400")
    const RESERVED_CONCURRENCY = await shares({ SOCKETS: "on" })
    expect(RESERVED_CONCURRENCY).toBe("worker=300,preview=50,stream=200,pump=200")
    expect((await run("doctor", [], { ...env, RESERVED_CONCURRENCY: RESERVED_CONCURRENCY ?? "" })).said).toContain(
      "✓ RESERVED_CONCURRENCY reserves 750 of the 1000 available.",
    )
    answer.body = { AccountLimit: { ConcurrentExecutions: 390 } }
    expect(await shares()).toBeUndefined()
  })

  it.each([
    [
      "6.0",
      ["! The account may run 6 agent containers", "--quota-code L-3032A538 --desired", "create-service-linked-role"],
    ],
    ["100.0", ["✓ The account may run 100 agent containers at once", "✓ The account has ECS's service role"]],
    [undefined, ["! Install the AWS CLI", "aws service-quotas get-service-quota", "aws iam get-role"]],
  ])("looks whether an account of %s vCPUs is ready for containers, where agents are on", async (vcpus, says) => {
    const env = { ...ACCOUNT, SECRETS: ALL_SET, ...(vcpus && { VCPUS: vcpus }) }
    if (vcpus) writeFileSync(join(folder, "bin", "aws"), AWS_CLI, { mode: 0o755 })
    expect((await run("doctor", [], env)).said).not.toContain("containers")
    const { said } = await run("doctor", [], { ...env, AGENTS: "on" })
    for (const line of says) expect(said).toContain(line)
  })

  it("counts the containers of the stage's size that the account may run, and says what one costs", async () => {
    writeFileSync(join(folder, "bin", "aws"), AWS_CLI, { mode: 0o755 })
    const env = { ...ACCOUNT, SECRETS: ALL_SET, VCPUS: "100.0", AGENTS: "on", RUNNER_VCPUS: "16" }
    const { said } = await run("doctor", [], env)
    expect(said).toContain("! The account may run 6 agent containers")
    expect(said).toContain("--desired-value 1600")
    expect(said).toMatch(
      /✓ A container has 16 vCPU \(arm64\), 64 GB of memory and 20 GB of disk, for \d\d\.\d cents an hour/,
    )
    const refused = await run("doctor", [], { ...env, RUNNER_MEMORY_GB: "130" })
    expect(refused.code).toBe(1)
    expect(refused.said).toContain("✗ RUNNER_MEMORY_GB: With RUNNER_VCPUS=16")
  })

  it("looks whether an existing network is there, in one VPC", async () => {
    writeFileSync(join(folder, "bin", "aws"), AWS_CLI, { mode: 0o755 })
    const network = { RUNNER_SUBNETS: "subnet-0a1b2c3d,subnet-0a1b2c3e", RUNNER_SECURITY_GROUP: "sg-0a1b2c3d" }
    const env = { ...ACCOUNT, SECRETS: ALL_SET, VCPUS: "100.0", AGENTS: "on", ZONES: "1", ...network }
    expect((await run("doctor", [], env)).said).toContain(
      "✓ Containers start in subnet-0a1b2c3d, subnet-0a1b2c3e of vpc-1",
    )
    const apart = await run("doctor", [], { ...env, RUNNER_SECURITY_GROUP: "sg-0a1b2c3e" })
    expect([apart.code, apart.said]).toEqual([
      1,
      expect.stringContaining("must be in one VPC, but are in vpc-1 and vpc-2"),
    ])
    const unknown = await run("doctor", [], { ...env, RUNNER_SUBNETS: "subnet-0a1b2c3f" })
    expect([unknown.code, unknown.said]).toEqual([
      1,
      expect.stringContaining("✗ The containers' network can't be used"),
    ])
    const wrong = await run("doctor", [], { ...env, RUNNER_SECURITY_GROUP: "" })
    expect([wrong.code, wrong.said]).toEqual([1, expect.stringContaining("must both be set")])
  })

  it("looks whether the region has zones for containers, not counting those that one opts in to", async () => {
    writeFileSync(join(folder, "bin", "aws"), AWS_CLI, { mode: 0o755 })
    const env = { ...ACCOUNT, SECRETS: ALL_SET, VCPUS: "100.0", AGENTS: "on" }
    expect((await run("doctor", [], env)).said).toMatch(/✓ \S+ has 3 zones for containers/)
    expect((await run("doctor", [], { ...env, ZONES: "1" })).said).toMatch(/✗ \S+ has 1 zones .* needs 2\. Choose/)
  })

  it("warns of a first distribution, which CloudFront may refuse", async () => {
    writeFileSync(join(folder, "bin", "aws"), AWS_CLI, { mode: 0o755 })
    const env = { ...ACCOUNT, SECRETS: ALL_SET }
    expect((await run("doctor", [], env)).said).not.toContain("CloudFront")
    const { code, said } = await run("doctor", [], { ...env, DISTRIBUTIONS: "0" })
    expect([code, said]).toEqual([0, expect.stringContaining("! The account has no CloudFront distribution yet.")])
  })

  it("says what a month costs in which nobody works, by what is set, with its sum", async () => {
    const plain = (await run("doctor", [])).said
    expect(plain).toMatch(/^ +\d\.\d\d {2}alarms$/m)
    const bill = (said: string) => Number(/([\d.]+) {2}together/.exec(said)?.[1])
    expect(bill(plain)).toBeLessThan(3)
    const { said } = await run("doctor", [], { KMS_KEY: "on", FIREWALL: "on", AGENTS: "on", WARM_RUNNERS: "2" })
    for (const line of ["1.00  KMS_KEY=on", "6.00  FIREWALL=on", "WARM_RUNNERS=2"]) expect(said).toContain(line)
    const lines = [...said.matchAll(/^ +([\d.]+) {2}(?!together)/gm)].map(([, dollars]) => Number(dollars))
    expect(Math.abs(lines.reduce((sum, dollars) => sum + dollars) - bill(said))).toBeLessThan(0.1)
    expect(said).toMatch(/WARM_RUNNERS=2: the waiting containers cost \d\d dollars a month/)
  })

  it.each(
    someOf<[Record<string, string>, string]>(
      [
        [{ WARM_RUNNERS: "2" }, "✗ WARM_RUNNERS needs AGENTS=on"],
        [{ AGENTS: "on", WARM_RUNNERS: "some" }, "✗ WARM_RUNNERS must be the number of containers"],
        [{ AGENTS: "on", WARM_RUNNERS: "1000" }, "✗ WARM_RUNNERS must be the number of containers"],
      ],
      1,
    ),
  )("refuses %j, by which nobody can know what waits", async (env, says) => {
    const { code, said } = await run("doctor", [], env)
    expect(code).toBe(1)
    expect(said).toContain(says)
    expect(said).not.toContain("together; docs")
  })

  it("takes a stage's settings from its file, as the deployment does, and rather from the environment", async () => {
    writeFileSync(join(folder, ".env.try"), "RESERVED_CONCURRENCY=api=500,stream=401\n")
    const env = { ...ACCOUNT, SECRETS: ALL_SET }
    const { said } = await run("doctor", ["--stage", "try"], env)
    expect(said).toContain("✗ RESERVED_CONCURRENCY reserves 901 of the 1000 available")
    expect((await run("doctor", [], env)).said).not.toContain("RESERVED_CONCURRENCY reserves")
    const overridden = { ...env, RESERVED_CONCURRENCY: "api=50" }
    expect((await run("doctor", ["--stage", "try"], overridden)).said).toContain("reserves 50 of the 1000 available")
    expect(await run("deploy", ["--stage", "try"], env)).toMatchObject({ code: 1 })
  })

  it("says so when AWS doesn't accept the credentials", async () => {
    answer = { status: 403, body: { message: "The security token included in the request is invalid." } }
    const { code, said } = await run("doctor", [], ACCOUNT)
    expect(code).toBe(1)
    expect(said).toContain("AWS rejects the credentials from the environment: The security token")
    expect(asked()).toEqual([])
  })
})

describe("a deployment", () => {
  it.each(someOf<[string[]]>([[[]], [["--stage", "a; rm -rf /"]], [["--stage", "Prod"]], [["--stage", "--force"]]], 2))(
    "wants a stage, and not %j",
    async (args) => {
      for (const tool of ["deploy", "remove"]) expect((await run(tool, args, ACCOUNT)).code).not.toBe(0)
      expect(asked()).toEqual([])
    },
  )

  it("doesn't begin while something is missing", async () => {
    expect(await run("deploy", ["--stage", "prod"])).toMatchObject({ code: 1 })
    expect(asked()).toEqual([])
  })

  it("makes the secrets the first time, and shows the admin token, once, and nothing else", async () => {
    const { code, said } = await run("deploy", ["--stage", "prod"], ACCOUNT)
    expect(code).toBe(0)
    const [, build, , , load, deploy] = asked()
    expect(build?.args).toEqual(["npm", "run", "build", "-w", "@switchyard/web"])
    expect(deploy?.args).toEqual(["deploy", "--stage", "prod"])
    expect(load?.args).toEqual(["secret", "load", expect.any(String), "--stage", "prod"])
    expect(load?.mode).toBe(0o600)
    const made = Object.fromEntries(
      (load?.loaded ?? "")
        .trim()
        .split("\n")
        .map((line) => line.split(/=(.*)/s)),
    )
    expect(Object.keys(made)).toEqual(["MasterKey", "AdminToken", "OriginSecret"])
    expect(Buffer.from(made.MasterKey, "base64")).toHaveLength(32)
    expect(new Set(Object.values(made)).size).toBe(3)
    expect(said.split(made.AdminToken)).toHaveLength(2)
    expect(said).not.toContain(made.MasterKey)
    expect(said).not.toContain(made.OriginSecret)
    expect(() => readFileSync(load?.args[2] ?? "")).toThrow(/ENOENT/)
  })

  it("makes the secrets once where another one begins a moment later, which changes nothing", async () => {
    const BESIDE = `${join(tools, "deploy.ts")} --stage prod`
    const { code, said } = await run("deploy", ["--stage", "prod"], { ...ACCOUNT, BESIDE })
    expect(code).toBe(0)
    expect(said).toMatch(/SWITCHYARD_TOKEN=[0-9a-f]{64}/)
    expect(asked().filter(({ args }) => args[1] === "load" || args[0] === "deploy")).toHaveLength(2)
    const [, status, stderr] = asked().find(({ args }) => args[0] === "beside")?.args ?? []
    expect(status).toBe(1)
    expect(stderr).toContain("Another deployment of prod is generating its secrets. Nothing was changed")
    expect(lock).toBeUndefined()
  })

  it("shows the token that it made even if the lock can't be taken away", async () => {
    lockStays = true
    const { code, said } = await run("deploy", ["--stage", "prod"], ACCOUNT)
    expect(code).toBe(0)
    expect(said).toMatch(/SWITCHYARD_TOKEN=[0-9a-f]{64}/)
    expect(said).toContain("The secrets stay locked for two minutes: Access Denied")
  })

  it("takes the place of one that was killed while it made them, two minutes later", async () => {
    lock = { etag: '"theirs"', modifiedAt: new Date(Date.now() - 100_000) }
    expect(await run("deploy", ["--stage", "prod"], ACCOUNT)).toMatchObject({ code: 1 })
    expect(asked().map(({ args }) => args[1])).toEqual(["list", "run", "list"])
    lock.modifiedAt = new Date(Date.now() - 150_000)
    expect(await run("deploy", ["--stage", "prod"], ACCOUNT)).toMatchObject({ code: 0 })
    expect(lock).toBeUndefined()
  })

  it("makes what it deployed live, where a rollback went back before, or says that it couldn't", async () => {
    const deploy = () => run("deploy", ["--stage", "prod"], { ...ACCOUNT, SECRETS: ALL_SET })
    expect(await deploy()).toMatchObject({ code: 0 })
    expect(requests.filter((request) => request.startsWith("PUT"))).toEqual([
      expect.stringContaining("/functions/switchyard-prod-WorkerFunction-a/aliases/live"),
      expect.stringContaining("/switchyard-prod-studiobucket-a/index.html"),
    ])
    answer.body = { ...LIMIT, ...DEPLOYED, Versions: [] }
    const { code, said } = await deploy()
    expect([code, said]).toEqual([1, expect.stringContaining("The deployed version isn't live everywhere.")])
  })

  it("shows the token that it made even if the rest failed", async () => {
    const { code, said } = await run("deploy", ["--stage", "prod"], { ...ACCOUNT, DEPLOY_EXITS: "3" })
    expect(code).toBe(3)
    expect(said).toMatch(/SWITCHYARD_TOKEN=[0-9a-f]{64}/)
  })

  it("shows the token that it made even if somebody stopped it", async () => {
    const { said } = await run("deploy", ["--stage", "prod"], { ...ACCOUNT, DEPLOY_EXITS: "130", INTERRUPTED: "yes" })
    expect(said).toMatch(/SWITCHYARD_TOKEN=[0-9a-f]{64}/)
  })

  it("makes no secret that another deployment has made while the studio was built", async () => {
    const made = "MasterKey=theirs AdminToken=theirs OriginSecret=theirs"
    const { code, said } = await run("deploy", ["--stage", "prod"], { ...ACCOUNT, SECRETS_ONCE_BUILT: made })
    expect(code).toBe(0)
    expect(asked().map(({ args }) => args[1])).not.toContain("load")
    expect(said).not.toContain("SWITCHYARD_TOKEN")
  })

  it.each(
    someOf<[string, string[], string]>(
      [
        ["deploy", ["--stage", "prod", "--force"], "Unknown option '--force'"],
        ["remove", ["--stage"], "Option '--stage <value>' argument missing"],
        ["doctor", ["--stage", "try", "all"], "Unexpected argument 'all'"],
        ["restore", ["--stage", "try", "--at", "now"], "Add a time within the last 7 days"],
        ["rollback", ["--stage", "try", "--to", "yesterday"], "Add the commit to go back to"],
      ],
      2,
    ),
  )("says in a few words what is wrong with %s %j, and does nothing", async (tool, args, words) => {
    const { code, said } = await run(tool, args, ACCOUNT)
    expect(code).toBe(1)
    expect(said).toContain(words)
    expect(said).not.toMatch(/\n\s+at /)
    expect([...asked(), ...requests]).toEqual([])
  })

  it("says in a few words that a restore finds no such stage here, or isn't let in", async () => {
    const at = new Date(Date.now() - 3_600_000).toISOString()
    const restore = () => run("restore", ["--stage", "try", "--at", at, "--yes"], ACCOUNT)
    answer.body = { Functions: [] }
    const none = "There is no stage try in this account and region.\n"
    expect(await restore()).toEqual({ code: 1, said: none })
    answer = { status: 403, body: { message: "The security token included in the request is invalid." } }
    expect(await restore()).toEqual({ code: 1, said: "The security token included in the request is invalid.\n" })
    expect(requests.slice(2)).toEqual([expect.stringMatching(/^GET .2015-03-31.functions/), "POST /"])
  })

  it("makes no secret, and deploys nothing, when the studio can't be built", async () => {
    const { code, said } = await run("deploy", ["--stage", "prod"], { ...ACCOUNT, BUILD_EXITS: "1" })
    expect(code).toBe(1)
    expect(said).toContain("The studio couldn't be built")
    expect(asked().map(({ args }) => args[0])).toEqual(["secret", "npm"])
  })

  it("leaves secrets alone that have a value", async () => {
    const { said } = await run("deploy", ["--stage", "prod"], { ...ACCOUNT, SECRETS: ALL_SET })
    expect(asked().map(({ args }) => args.slice(0, 2))).toEqual([
      ["secret", "list"],
      ["npm", "run"],
      ["secret", "list"],
      ["deploy", "--stage"],
    ])
    expect(said).not.toContain("SWITCHYARD_TOKEN")
  })

  it("is removed by the same name, and its secrets with it, and no others", async () => {
    const { code } = await run("remove", ["--stage", "try"], { ...ACCOUNT, SECRETS: `${ALL_SET} Other=x` })
    expect(code).toBe(0)
    const secret = (name: string) => ["secret", "remove", name, "--stage", "try"]
    expect(asked().map(({ args }) => args)).toEqual([
      ["remove", "--stage", "try"],
      ["secret", "list", "--stage", "try"],
      ...["MasterKey", "AdminToken", "OriginSecret", "GroqApiKey", "AnthropicApiKey", "OpenaiApiKey"].map(secret),
      ...["LocalApiKey", "BraveApiKey", "SerperApiKey"].map(secret),
    ])
    expect(asked().every(({ telemetry }) => telemetry === "1")).toBe(true)
  })

  it("keeps its secrets when it could not be removed", async () => {
    const { code, said } = await run("remove", ["--stage", "prod"], { ...ACCOUNT, SECRETS: ALL_SET, REMOVE_EXITS: "1" })
    expect(code).toBe(1)
    expect(said).toContain("docs/deploy.md for how to take down")
    expect(asked().map(({ args }) => args[0])).toEqual(["remove"])
  })
})

describe("the place of a stage", () => {
  const HERE = "111111111111/eu-central-1"
  const settings = () => readFileSync(join(folder, ".env.prod"), "utf8")
  const at = () => new Date(Date.now() - 3_600_000).toISOString()

  it("is noted before anything is made there, once, and forgotten when the stage is removed", async () => {
    writeFileSync(join(folder, ".env.prod"), "AGENTS=off")
    await run("deploy", ["--stage", "prod"], { ...ACCOUNT, DEPLOY_EXITS: "3" })
    expect(settings()).toBe(`AGENTS=off\nDEPLOYED_TO=${HERE}\n`)
    expect(await run("deploy", ["--stage", "prod"], { ...ACCOUNT, SECRETS: ALL_SET })).toMatchObject({ code: 0 })
    expect(settings()).toBe(`AGENTS=off\nDEPLOYED_TO=${HERE}\n`)
    expect(await run("remove", ["--stage", "prod"], { ...ACCOUNT, SECRETS: ALL_SET })).toMatchObject({ code: 0 })
    expect(settings()).toBe("AGENTS=off\n")
  })

  const tools = () => [
    ["doctor", ["--stage", "prod"]] as const,
    ["deploy", ["--stage", "prod"]] as const,
    ["restore", ["--stage", "prod", "--at", at(), "--yes"]] as const,
    ["rollback", ["--stage", "prod", "--to", "c9317ace2d3e"]] as const,
    ["remove", ["--stage", "prod"]] as const,
  ]

  it.each<[string, { account?: string; region?: string }, string]>([
    ["another account", { account: "222222222222" }, "222222222222/eu-central-1"],
    ["another region", { region: "us-east-1" }, "111111111111/us-east-1"],
  ])("isn't one of %s by mistake: no tool goes there", async (_, { account: other, region }, inUse) => {
    writeFileSync(join(folder, ".env.prod"), `DEPLOYED_TO=${HERE}\n`)
    account = other ?? account
    const env = { ...ACCOUNT, SECRETS: ALL_SET, ...(region && { AWS_REGION: region }) }
    for (const [tool, args] of tools()) {
      const { code, said } = await run(tool, [...args], env)
      expect({ tool, code }).toEqual({ tool, code: 1 })
      expect(said).toContain(`prod was deployed to ${HERE}, but the current credentials and region are for ${inUse}.`)
      expect(said).toContain(`npm run deploy -- --stage prod --place ${inUse}`)
    }
    expect(asked()).toEqual([])
    expect(settings()).toBe(`DEPLOYED_TO=${HERE}\n`)
  })

  it("is found by the stage's bucket where nobody noted it, in the same account", async () => {
    buckets = { "switchyard-prod-blobsbucket-abc": "us-east-1", "switchyard-prod-2-blobsbucket-abc": "eu-west-1" }
    const env = { ...ACCOUNT, SECRETS: ALL_SET }
    const { code, said } = await run("deploy", ["--stage", "prod"], env)
    expect(code).toBe(1)
    expect(said).toContain("prod was deployed to 111111111111/us-east-1, but")
    expect(asked()).toEqual([])
    expect(await run("deploy", ["--stage", "try"], env)).toMatchObject({ code: 0 })
    buckets["switchyard-prod-blobsbucket-def"] = "eu-central-1"
    expect(await run("deploy", ["--stage", "prod"], env)).toMatchObject({ code: 0 })
  })

  it("is another where somebody names it, and it is the one in use", async () => {
    writeFileSync(join(folder, ".env.prod"), "DEPLOYED_TO=222222222222/us-east-1\n")
    const env = { ...ACCOUNT, SECRETS: ALL_SET }
    const deploy = (place: string) => run("deploy", ["--stage", "prod", "--place", place], env)
    expect((await deploy("111111111111/eu-west-1")).said).toContain("--place says 111111111111/eu-west-1, but")
    expect(asked()).toEqual([])
    expect(await deploy(HERE)).toMatchObject({ code: 0 })
    expect(settings()).toBe(`DEPLOYED_TO=${HERE}\n`)
  })
})
