import { execFile } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { ECSClient } from "@aws-sdk/client-ecs"
import { LambdaClient } from "@aws-sdk/client-lambda"
import { createDynamoClient } from "@switchyard/core/storage/dynamo"
import { afterEach, beforeEach, expect, it } from "vitest"
import { endRunners } from "../../tools/cloud/end-runners.ts"
import { never } from "../settings.ts"

/** A stand-in for the SST tool. Records its arguments. While it removes a stage, a container may start. */
const SST = `#!${process.execPath}
const isRemoval = process.argv[2] === "remove"
require("node:fs").appendFileSync(process.env.ASKED, "sst " + process.argv.slice(2).join(" ") + "\\n")
const end = () => process.exit(isRemoval ? Number(process.env.REMOVE_EXITS) : 0)
if (isRemoval && process.env.STARTS_LATE) fetch(process.env.AWS_ENDPOINT_URL + "/start/task-2").then(end)
else end()
`
const WORKER = "switchyard-try-WorkerFunction-a"

let folder: string
let aws: Server
/** Requested tasks. The value is the number of descriptions in which a stopped task still runs. */
let tasks: Map<string, number>
let stopped: Set<string>
let isProtected: boolean
/** True if an earlier attempt has removed the functions. */
let isHalfRemoved: boolean
/** Requests that AWS refuses. */
let refused: string[]
/** Called when a task is stopped, when a task is described, and when the worker is resumed. */
let whenStopped: (task: string) => void
let whenDescribed: () => void
let whenResumed: () => void

const note = (line: string) => writeFileSync(join(folder, "asked"), `${line}\n`, { flag: "a" })
const asked = () => readFileSync(join(folder, "asked"), "utf8").trim().split("\n")

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "switchyard-remove-"))
  mkdirSync(join(folder, "bin"))
  writeFileSync(join(folder, "bin", "sst"), SST)
  chmodSync(join(folder, "bin", "sst"), 0o755)
  writeFileSync(join(folder, "asked"), "")
  tasks = new Map([["task-1", 0]])
  stopped = new Set()
  isProtected = false
  isHalfRemoved = false
  refused = []
  whenStopped = () => {}
  whenDescribed = () => {}
  whenResumed = () => {}
  aws = createServer(async (request, response) => {
    const asked = `${request.method} ${request.url}`
    const isRefused = refused.some((each) => `${asked} ${request.headers["x-amz-target"]}`.includes(each))
    if (isRefused) response.writeHead(403, { "x-amzn-errortype": "AccessDeniedException" })
    const body = await text(request)
    response.end(isRefused ? '{"message":"Access denied"}' : await answer(asked, request.headers, body))
  })
  aws.listen(0, "127.0.0.1")
  await once(aws, "listening")
})
afterEach(async () => {
  aws.close()
  await rm(folder, { recursive: true })
})

/** Answers for a stage with agents: Lambda and DynamoDB as far as a removal needs them, and ECS with its tasks. */
function answer(request: string, headers: IncomingHttpHeaders, body: string): string | Promise<string> {
  if (request === "GET /start/task-2") {
    tasks.set("task-2", 0)
    return new Promise((resolve) => (whenStopped = () => resolve("")))
  }
  const target = String(headers["x-amz-target"] ?? "").split(".")[1]
  const input = body.startsWith("{") ? JSON.parse(body) : {}
  if (target === "DescribeTable") return JSON.stringify({ Table: { DeletionProtectionEnabled: isProtected } })
  if (target === "ListClusters") return JSON.stringify({ clusterArns: ["other", "runners"] })
  if (target === "DescribeClusters") return JSON.stringify({ clusters: input.clusters.flatMap(describeCluster) })
  if (target === "ListTasks")
    return JSON.stringify({ taskArns: [...tasks.keys()].filter((task) => !stopped.has(task)) })
  if (target === "StopTask") {
    note(`stop ${input.task} in ${input.cluster}`)
    stopped.add(input.task)
    whenStopped(input.task)
    return "{}"
  }
  if (target === "DescribeTasks") return JSON.stringify({ tasks: input.tasks.map(describe) })
  if (request.startsWith("GET /2015-03-31/functions")) {
    const Variables = { TABLE: "records", BUCKET: "blobs", RUNNER: JSON.stringify({ cluster: "runners" }) }
    const Functions = isHalfRemoved ? [] : [{ FunctionName: WORKER, Environment: { Variables } }]
    return JSON.stringify({ Functions })
  }
  if (request.includes("/concurrency")) {
    if (request.startsWith("DELETE")) whenResumed()
    if (!request.startsWith("GET"))
      note([request.split(" ")[0], "concurrency", input.ReservedConcurrentExecutions].join(" ").trim())
    return "{}"
  }
  return "<GetCallerIdentityResponse><GetCallerIdentityResult><Account>1</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"
}

/** Returns a cluster, and a removed one with the same tags. */
function describeCluster(clusterName: string): object[] {
  const stage = clusterName === "runners" ? "try" : "try-2"
  const tags = Object.entries({ "sst:app": "switchyard", "sst:stage": stage }).map(([key, value]) => ({ key, value }))
  return [
    { clusterName: `${clusterName}-before`, status: "INACTIVE", tags },
    { clusterName, status: "ACTIVE", tags },
  ]
}

function describe(task: string): object {
  whenDescribed()
  const left = tasks.get(task) ?? 0
  tasks.set(task, left - 1)
  if (left <= 0) note(`gone ${task}`)
  return { taskArn: task, desiredStatus: "STOPPED", lastStatus: left > 0 ? "DEACTIVATING" : "STOPPED" }
}

function start(env: Record<string, string> = {}) {
  const said = { stdout: "", stderr: "" }
  const child = execFile(process.execPath, [join(import.meta.dirname, "../../tools/remove.ts"), "--stage", "try"], {
    cwd: folder,
    env: {
      PATH: [join(folder, "bin"), dirname(process.execPath)].join(delimiter),
      HOME: folder,
      ASKED: join(folder, "asked"),
      REMOVE_EXITS: "0",
      DEPLOYED_TO: "1/eu-central-1",
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(aws.address() as AddressInfo).port}`,
      ...{ AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test", AWS_REGION: "eu-central-1" },
      ...env,
    },
  })
  for (const name of ["stdout", "stderr"] as const) child[name]?.on("data", (text) => (said[name] += text))
  const ended = once(child, "close").then(([code]) => ({ code, ...said }))
  return { child, ended }
}

it("stops the agents' containers, also one that is started meanwhile, and removes the stage once they are gone", async () => {
  whenStopped = (task) => task === "task-1" && tasks.set("task-2", 0)
  const { code, stdout } = await start().ended
  expect(code).toBe(0)
  expect(stdout).toContain("Stopping the agents' containers (1). This takes about a minute.")
  expect(asked()).toEqual([
    "PUT concurrency 0",
    ...["stop task-1 in runners", "gone task-1", "stop task-2 in runners", "gone task-2"],
    "sst remove --stage try",
    "sst secret list --stage try",
  ])
})

it("lets the worker start containers again if the stage couldn't be removed", async () => {
  const { code } = await start({ REMOVE_EXITS: "3" }).ended
  expect(code).toBe(3)
  expect(asked().slice(-2)).toEqual(["sst remove --stage try", "DELETE concurrency"])
})

it("stops no container of a stage that is protected", async () => {
  isProtected = true
  const { code, stderr } = await start().ended
  expect([code, stderr]).toEqual([1, expect.stringContaining("The stage is protected, so nothing was changed.")])
  expect(asked()).toEqual([""])
})

it.each(["SIGINT", "SIGTERM"] as const)(
  "resumes the worker and removes nothing if it gets %s while containers stop, even twice",
  async (signal) => {
    tasks.set("task-1", Number.POSITIVE_INFINITY)
    const { child, ended } = start()
    whenDescribed = () => void child.kill(signal)
    whenResumed = () => void child.kill(signal)
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([1, "Interrupted. Nothing was removed.\n"])
    expect(asked()).toEqual(["PUT concurrency 0", "stop task-1 in runners", "DELETE concurrency"])
  },
)

it("says how to resume the worker where it can't do so itself, and what went wrong before", async () => {
  const remedy = `Access denied\nTo resume it: aws lambda delete-function-concurrency --function-name ${WORKER}\n`
  refused = ["DELETE"]
  const failed = await start({ REMOVE_EXITS: "3" }).ended
  expect([failed.code, failed.stderr]).toEqual([3, expect.stringContaining(`still paused: ${remedy}`)])
  refused = ["DELETE", "DescribeTasks"]
  stopped.clear()
  const { stdout, stderr } = await start().ended
  expect([stdout, stderr]).toEqual([expect.stringContaining(`still paused: ${remedy}`), "Access denied\n"])
})

it("stops the containers of a stage whose functions are gone", async () => {
  isHalfRemoved = true
  expect(await start().ended).toMatchObject({ code: 0 })
  expect(asked().slice(0, 3)).toEqual(["stop task-1 in runners", "gone task-1", "sst remove --stage try"])
})

it("stops a container that a worker starts only while the stage is being removed", async () => {
  expect(await start({ STARTS_LATE: "yes" }).ended).toMatchObject({ code: 0 })
  expect(asked().slice(3, 5)).toEqual(["sst remove --stage try", "stop task-2 in runners"])
})

it("waits until a container is gone, which takes longer than the request to stop it", async () => {
  tasks.set("task-1", 2)
  const at = { region: "eu-central-1", endpoint: `http://127.0.0.1:${(aws.address() as AddressInfo).port}` }
  const config = { ...at, credentials: { accessKeyId: "test", secretAccessKey: "test" } }
  const clients = { lambda: new LambdaClient(config), ecs: new ECSClient(config), dynamo: createDynamoClient(config) }
  const deps = { ...clients, reserved: {}, say: () => {}, sleep: async () => note("wait") }
  const stage = { table: "records", bucket: "blobs", functions: [WORKER] }
  await endRunners(deps, "runners", stage, { signal: never })
  expect(asked()).toEqual(["PUT concurrency 0", "stop task-1 in runners", "wait", "wait", "gone task-1"])
})
