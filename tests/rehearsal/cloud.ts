import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LambdaClient } from "@aws-sdk/client-lambda"
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { keyOfTheWorker } from "@switchyard/core/models/names"
import { createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { createS3Blobs, createS3PresignClient } from "@switchyard/core/storage/s3"
import { PAGE, pageOf } from "../../tools/cloud/live.ts"
import { readNetwork, readProxies } from "../../tools/cloud/network.ts"
import { rollBack } from "../../tools/cloud/roll-back.ts"
import { startDynamo } from "../emulators/dynamo.ts"
import { startS3 } from "../emulators/s3.ts"
import { startWebSocketGateway } from "../emulators/websocket-gateway.ts"
import type { Entry } from "./bundles.ts"
import { PLACE, startEcs } from "./ecs.ts"
import { bootEnvironment, type LambdaFunction } from "./environment.ts"
import { openFunctionUrl } from "./function-url.ts"
import { sidOf } from "./judge.ts"
import { startLambda } from "./lambda.ts"
import { startRouter } from "./router.ts"
import { keepsToItsBlobs, keepsToItsRecords, startSts } from "./sts.ts"
import { startWeather } from "./weather.ts"

const ORIGIN_SECRET = "origin-secret-origin-secret-origin-secret"
export const ADMIN_TOKEN = "admin-token-admin-token-admin-token-admin"

export const MASTER_KEY = Buffer.alloc(32, 9).toString("base64")

const FORBIDDEN = {
  status: 400,
  body: '{"__type":"com.amazon.coral.service#AccessDeniedException","message":"dynamodb:LeadingKeys"}',
}
const FORBIDDEN_BLOB = { status: 403, body: "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>" }

/** Like the image, which runs as root and has a user for agents. */
const asInTheImage: Record<string, string> =
  process.getuid?.() === 0 ? { SWITCHYARD_AGENT_USER: "nobody", SWITCHYARD_AGENT_SANDBOX: "off" } : {}

export type Cloud = Awaited<ReturnType<typeof startCloud>>

export interface CloudOptions {
  /** Path of AWS's runtime client. */
  client: string
  modelUrl: string
  /** Folder of the bundles. */
  bundles: string
  /** True for a stage with agents and sockets, whose repositories may be on this machine. */
  agents?: boolean
  /** Number of containers that wait for sessions. */
  warmRunners?: number
  /** Settings of an existing network for the containers. */
  network?: Record<string, string>
}

/** Starts an installation on loopback: everything in `infra/`, with stand-ins for AWS. */
export async function startCloud(options: CloudOptions) {
  const { client, modelUrl, bundles, agents = false, warmRunners = 0, network = {} } = options
  const existing = readNetwork(network)
  const place = {
    ...PLACE,
    ...(existing && { subnets: existing.subnets, security_group: existing.group, has_private_network: true }),
  }
  const proxies = Object.fromEntries(readProxies(network).map(({ name, value }) => [name, value]))
  const folder = await mkdtemp(join(tmpdir(), "rehearsal-"))
  // Agents are other users, and must pass through both folders.
  await chmod(folder, 0o711)
  const tasks = join(folder, "tasks")
  await mkdir(tasks, 0o711)
  const [dynamo, s3] = await Promise.all([startDynamo(), startS3()])
  const [table, bucket, studio] = await Promise.all([dynamo.createTable(), s3.createBucket(), s3.createBucket()])
  const dynamoWeather = await startWeather(String(dynamo.config.endpoint))
  const s3Weather = await startWeather(String(s3.config.endpoint))
  // Proxies that refuse everything that a runner's credentials don't allow.
  const [recordsGuard, blobsGuard, sts] = await Promise.all([
    startWeather(dynamoWeather.url),
    startWeather(s3Weather.url),
    startSts(),
  ])
  recordsGuard.set((request, { authorization }) =>
    keepsToItsRecords(request, authorization) ? undefined : { failure: FORBIDDEN },
  )
  blobsGuard.set((request, { url, authorization }) =>
    keepsToItsBlobs(url, request, authorization) ? undefined : { failure: FORBIDDEN_BLOB },
  )
  let printed = ""
  const log = (text: string) => {
    printed += text
  }

  const functions: Record<string, LambdaFunction> = {}
  const lambda = await startLambda(functions, log)
  const ecs = await startEcs({
    folder: tasks,
    place,
    env: (definition) => ({
      ...common,
      ...asInTheImage,
      ...proxies,
      VERSION: deployed[Number(definition.split(":").at(-1)) - 1] ?? "",
      AWS_ENDPOINT_URL_DYNAMODB: recordsGuard.url,
      AWS_ENDPOINT_URL_S3: blobsGuard.url,
      CREDENTIALS: "credentials",
      LOGINS: "logins",
      RUNNER_IDLE_MS: "3000",
    }),
    log,
  })
  const common = {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_ENDPOINT_URL_DYNAMODB: dynamoWeather.url,
    AWS_ENDPOINT_URL_S3: s3Weather.url,
    AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint,
    AWS_ENDPOINT_URL_ECS: ecs.endpoint,
    AWS_ENDPOINT_URL_STS: sts.endpoint,
    // The mock agent exists only in development.
    APP_ENV: agents ? "development" : "production",
    ...(agents && { WARM_RUNNERS: String(warmRunners), AGENTS: "on", SOCKETS: "on", ALLOWED_HOSTS: "127.0.0.1" }),
    TABLE: table,
    BUCKET: bucket,
    NODE_COMPILE_CACHE: join(bundles, "compiled"),
  }
  const front = { WORKER: "worker", MASTER_KEY, ORIGIN_SECRET, ADMIN_TOKEN, GROQ_API_KEY: keyOfTheWorker }
  const define = (name: Entry, timeoutMs: number, env: Record<string, string>) => {
    functions[name] = { name, client, taskRoot: join(bundles, name), timeoutMs, env: { ...common, ...env } }
    return functions[name]
  }
  define("api", 75_000, front)
  define("stream", 15 * 60_000, front)
  define("worker", 15 * 60_000, {
    ...{ MASTER_KEY, GROQ_API_KEY: "test", GROQ_BASE_URL: modelUrl, WORKFLOW_REVIEW: "0" },
    ...(agents && { RUNNER: JSON.stringify(place) }),
  })
  define("credentials", 30_000, { SESSION_ROLE: "arn:aws:iam::123456789012:role/session" })
  define("logins", 30_000, { MASTER_KEY })
  const gateway = agents ? await startWebSocketGateway() : undefined
  if (gateway) {
    define("socket-pump", 15 * 60_000, { MASTER_KEY, ADMIN_TOKEN, CONNECTIONS: gateway.endpoint })
    define("socket", 29_000, { ...front, CONNECTIONS: gateway.endpoint, PUMP: "socket-pump" })
    gateway.invokes(async (event) => {
      const outcome = await lambda.invoke("socket", event)
      return outcome.kind === "done" ? JSON.parse(outcome.answer ?? "{}") : { statusCode: 500 }
    })
  }
  define("sweep", 120_000, { WORKER: "worker", ...(agents && { SLOTS: "slots" }) })
  if (agents) define("slots", 60_000, { WORKER: "worker", CLUSTER: PLACE.cluster })
  if (agents)
    ecs.onStopped((taskArn) => void lambda.invoke("slots", { detail: { taskArn, lastStatus: "STOPPED" } }).catch(log))

  /** Deployed versions of the code. Each has its own revision of the task definitions. */
  const deployed: string[] = []
  async function deploy(version: string): Promise<void> {
    deployed.push(version)
    const runner = JSON.stringify(place).replace(/:1(?=")/g, `:${deployed.length}`)
    lambda.publish(({ env }) => ({ ...env, VERSION: version, ...(env.RUNNER && { RUNNER: runner }) }))
    for (const key of [PAGE, pageOf(version)])
      await s3.client.send(new PutObjectCommand({ Bucket: studio, Key: key, Body: version }))
  }
  await deploy("0.0.0")
  const aws = { region: common.AWS_REGION, credentials: { accessKeyId: "test", secretAccessKey: "test" } }
  const lambdaClient = new LambdaClient({ ...aws, endpoint: lambda.endpoint })

  const api = await openFunctionUrl(lambda, "api")
  const stream = await openFunctionUrl(lambda, "stream")
  const router = await startRouter({
    ...{ api: api.host, stream: stream.host, secret: ORIGIN_SECRET },
    gateway: gateway?.url,
  })

  return {
    url: router.url,
    origins: { api: `http://${api.host}`, stream: `http://${stream.host}` },
    router,
    lambda,
    ecs,
    gateway,
    weather: { dynamo: dynamoWeather, s3: s3Weather },
    printed: () => printed,
    /** Returns the functions' log lines of one kind. */
    lines: (kind: string): Record<string, unknown>[] =>
      printed
        .split("\n")
        .flatMap((line) => (line.startsWith("{") && line.includes(`"kind":"${kind}"`) ? JSON.parse(line) : [])),
    /** Returns the number of requests for a path that the functions logged. */
    requests: (path: string) => printed.split("\n").filter((line) => line.includes(`"path":"${path}"`)).length,
    /** Resolves when a workspace's runs were launched this many times. */
    async launched(workspace: string, times: number): Promise<void> {
      const sid = sidOf(workspace)
      while (lambda.launches.filter((launch) => launch.sid === sid).length < times) await new Promise(setImmediate)
    },
    /** Runs a task while a function has another time limit for requests about single runs. */
    async withTimeout<T>(name: Entry, timeoutMs: number, task: () => Promise<T>): Promise<T> {
      const fn = functions[name]
      if (!fn) throw new Error(`There is no ${name}.`)
      fn.exception = { paths: /^\/v1\/runs\/./, timeoutMs }
      try {
        return await task()
      } finally {
        fn.exception = undefined
      }
    },
    /** The stores without weather. */
    stores: {
      records: createDynamoRecords({ client: dynamo.client, table }),
      blobs: createS3Blobs({ client: s3.client, presignClient: createS3PresignClient(s3.config), bucket }),
    },
    /** Deploys another version. New environments of functions and new containers use it, and existing ones continue. */
    deploy,
    /** Makes an earlier version live, like `npm run rollback`. Resolves to the studio's page. */
    async rollBack(version: string): Promise<string | undefined> {
      await rollBack({ lambda: lambdaClient, s3: s3.client, functions: Object.keys(functions), studio }, version)
      const page = await s3.client.send(new GetObjectCommand({ Bucket: studio, Key: PAGE }))
      return page.Body?.transformToString()
    },
    /** Sweeps once, by a clock that is ahead. */
    async sweep({ aheadMs = 0 } = {}) {
      const { sweep } = functions
      if (!sweep) throw new Error("There is no sweep.")
      const env = { ...sweep.env, CLOCK_AHEAD_MS: String(aheadMs) }
      const environment = await bootEnvironment({ ...sweep, env }, log)
      const outcome = await environment.invoke({ event: {}, timeoutMs: sweep.timeoutMs })
      await environment.kill()
      if (outcome.kind !== "done") throw new Error(`The sweep failed: ${JSON.stringify(outcome)}`)
    },
    async stop() {
      router.stop()
      api.stop()
      stream.stop()
      await gateway?.stop()
      ecs.onStopped(() => {})
      lambdaClient.destroy()
      await lambda.stop()
      await ecs.stop()
      for (const { stop } of [recordsGuard, blobsGuard, sts]) stop()
      dynamoWeather.stop()
      s3Weather.stop()
      await Promise.all([dynamo.stop(), s3.stop()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
