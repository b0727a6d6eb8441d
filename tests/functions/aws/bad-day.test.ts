import { readAll } from "@switchyard/core/storage/blobs"
import { createDynamoClient, createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { createS3Blobs, createS3Client, createS3PresignClient } from "@switchyard/core/storage/s3"
import { createEcsClient, createTasks } from "@switchyard/functions/aws/ecs"
import { createInvoke, createLambdaClient } from "@switchyard/functions/aws/invoke"
import { createSessionRole } from "@switchyard/functions/aws/session-role"
import { createGateway } from "@switchyard/functions/aws/sockets/gateway"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startWebSocketGateway } from "../../emulators/websocket-gateway.ts"
import { PLACE, startEcs } from "../../rehearsal/ecs.ts"
import { startSts } from "../../rehearsal/sts.ts"
import { startWeather } from "../../rehearsal/weather.ts"
import { never } from "../../settings.ts"
import { startAws } from "./lambda.ts"

const options = { signal: never }

/** Responses of AWS, per protocol, to a signature with a wrong time and to too many requests. */
const ANSWERS = {
  json: {
    skewed: {
      status: 400,
      body: '{"__type":"com.amazon.coral.service#InvalidSignatureException","message":"Signature expired"}',
    },
    throttled: { status: 400, body: '{"__type":"ThrottlingException","message":"Rate exceeded"}' },
  },
  rest: {
    skewed: { status: 403, body: '{"__type":"InvalidSignatureException","message":"Signature not yet current"}' },
    throttled: { status: 429, body: '{"__type":"TooManyRequestsException","message":"Rate Exceeded."}' },
  },
  s3: {
    skewed: { status: 403, body: "<Error><Code>RequestTimeTooSkewed</Code><Message>Too large.</Message></Error>" },
    throttled: {
      status: 503,
      body: "<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>",
    },
  },
  query: {
    skewed: { status: 403, body: "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code></Error></ErrorResponse>" },
    throttled: { status: 400, body: "<ErrorResponse><Error><Code>Throttling</Code></Error></ErrorResponse>" },
  },
}

/** AWS rejects signatures more than five minutes from its own clock. Here, its clock is two hours ahead of ours. */
const MOST_SKEW_MS = 5 * 60_000
const AHEAD_MS = 2 * 3_600_000
/** Throttles the first two of every five requests. The SDK makes three attempts for each request. */
const BURST = { of: 5, throttled: 2 }
type Strictness = "throttles in bursts" | "is two hours ahead"

/**
 * Starts a proxy before a service that rejects signatures with a wrong time or throttles in bursts. Emulators do
 * neither.
 */
async function strictly(target: string, kind: keyof typeof ANSWERS, strictness: Strictness) {
  const weather = await startWeather(target)
  const met = { struck: 0, passed: 0 }
  let asked = 0
  weather.set((_request, { date }) => {
    const now = Date.now() + (strictness === "throttles in bursts" ? 0 : AHEAD_MS)
    const headers = { date: new Date(now).toUTCString() }
    if (Math.abs(timeOf(date) - now) > MOST_SKEW_MS) {
      met.struck++
      return { failure: ANSWERS[kind].skewed, headers }
    }
    if (strictness === "throttles in bursts" && asked++ % BURST.of < BURST.throttled) {
      met.struck++
      return { failure: ANSWERS[kind].throttled, headers }
    }
    met.passed++
    return { headers }
  })
  const config = {
    ...{ endpoint: weather.url, region: "eu-central-1" },
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  }
  return { config, met, stop: weather.stop }
}

/** Parses a time of the form `20261128T001500Z`. */
function timeOf(date: string | undefined): number {
  return Date.parse((date ?? "").replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"))
}

describe.each<Strictness>(["throttles in bursts", "is two hours ahead"])("AWS that %s", (strictness) => {
  let aws: Awaited<ReturnType<typeof startAws>>
  const stops: (() => unknown)[] = []
  const strict: Record<string, Awaited<ReturnType<typeof strictly>>> = {}
  async function guard(name: string, target: string, kind: keyof typeof ANSWERS) {
    const one = await strictly(target, kind, strictness)
    stops.push(one.stop)
    strict[name] = one
    return one.config
  }
  beforeAll(async () => {
    aws = await startAws()
    stops.push(aws.stop)
  })
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  /** Checks that the proxy rejected some requests and passed others. */
  function expectStruck(name: string) {
    const { struck = 0, passed = 0 } = strict[name]?.met ?? {}
    expect(struck).toBeGreaterThan(0)
    expect(passed).toBeGreaterThan(0)
  }

  it("is asked again by every call of the records", async () => {
    const config = await guard("dynamo", aws.env.AWS_ENDPOINT_URL_DYNAMODB, "json")
    const records = createDynamoRecords({ client: createDynamoClient(config), table: aws.env.TABLE })
    const key = { partition: "p", sort: "a" }
    expect(await records.put(key, { value: { n: 1 } }, { ifAbsent: true })).toBe(1)
    expect(await records.put(key, { value: { n: 2 } }, { ifAbsent: true })).toBeUndefined()
    expect(await records.put(key, { value: { n: 2 } }, { ifVersion: 1, listed: { list: "l", order: "1" } })).toBe(2)
    expect(await records.get(key)).toMatchObject({ value: { n: 2 }, version: 2 })
    expect(await Array.fromAsync(records.range("p"))).toHaveLength(1)
    expect(await Array.fromAsync(records.byList("l"))).toHaveLength(1)
    expect(await records.remove(key, { ifVersion: 1 })).toBe(false)
    expect(await records.remove(key)).toBe(true)
    expect(await records.get(key)).toBeUndefined()
    expectStruck("dynamo")
  })

  it("is asked again by every call of the blobs", async () => {
    const config = { ...(await guard("s3", aws.env.AWS_ENDPOINT_URL_S3, "s3")), forcePathStyle: true }
    const presignClient = createS3PresignClient({
      ...config,
      endpoint: aws.env.AWS_ENDPOINT_URL_S3,
      systemClockOffset: 0,
    })
    const blobs = createS3Blobs({ client: createS3Client(config), presignClient, bucket: aws.env.BUCKET })
    async function* parts() {
      for (let part = 0; part < 10; part++) yield Buffer.alloc(1024 * 1024, part)
    }
    await blobs.put("a/small", Buffer.from("small"))
    await blobs.put("a/large", parts())
    const bytesOf = async (key: string) => readAll((await blobs.get(key)) as AsyncIterable<Uint8Array>)
    expect(String(await bytesOf("a/small"))).toBe("small")
    expect(await bytesOf("a/large")).toHaveLength(10 * 1024 * 1024)
    expect(await blobs.head("a/large")).toMatchObject({ sizeBytes: 10 * 1024 * 1024 })
    expect((await Array.fromAsync(blobs.list("a/"))).map(({ key }) => key)).toEqual(["a/large", "a/small"])
    expect(
      await (await fetch(await blobs.signedUrl("a/small", { expiresInSeconds: 60, filename: "small.txt" }))).text(),
    ).toBe("small")
    await blobs.remove("a/")
    expect(await Array.fromAsync(blobs.list("a/"))).toEqual([])
    expectStruck("s3")
  })

  it("is asked again for tasks, and gives one for each token", async () => {
    const ecs = await startEcs({ folder: "/none", env: () => ({}), log: () => {} })
    stops.push(ecs.stop)
    const tasks = createTasks(PLACE, createEcsClient(await guard("ecs", ecs.endpoint, "json")))
    // The emulator records the task, but starts no process.
    ecs.fates.set("one", ["late"])
    const request = {
      token: "t",
      session: "one",
      definition: PLACE.task_definition,
      environment: { RUNNER_SESSION: "one" },
    }
    const started = await tasks.run(request, options)
    const task = "task" in started ? started.task : ""
    expect(await tasks.run(request, options)).toEqual({ task })
    expect(ecs.tasksOf("one")).toHaveLength(1)
    expect(await tasks.describe(task, options)).toEqual({ phase: "running" })
    expect(await tasks.stoppedOf([task, "gone"], options)).toEqual(["gone"])
    await tasks.stop(task, "Enough.", options)
    await tasks.stop("gone", "Enough.", options)
    expectStruck("ecs")
  })

  it("is asked again for credentials, and for the worker", async () => {
    const sts = await startSts()
    stops.push(sts.stop)
    const role = createSessionRole("arn:aws:iam::1:role/session", await guard("sts", sts.endpoint, "query"))
    for (const sid of ["a", "b", "c"]) {
      expect(await role.credentialsFor(sid, options)).toMatchObject({ accessKeyId: `session-${sid}` })
    }
    expectStruck("sts")

    const config = await guard("lambda", aws.env.AWS_ENDPOINT_URL_LAMBDA, "rest")
    const invoke = createInvoke(createLambdaClient(config))
    const already = aws.invocations.length
    for (const serve of ["a", "b", "c"]) await invoke("the-worker", { serve }, options)
    expect(aws.invocations.slice(already)).toMatchObject([
      { type: "Event", payload: { serve: "a" } },
      { type: "Event", payload: { serve: "b" } },
      { type: "Event", payload: { serve: "c" } },
    ])
    expectStruck("lambda")
  })

  it("is asked again to send over a socket, which is told from one that is closed", async () => {
    const sockets = await startWebSocketGateway()
    stops.push(sockets.stop)
    const gateway = createGateway(await guard("sockets", sockets.endpoint, "rest"))
    for (let attempt = 0; attempt < 3; attempt++) expect(await gateway.post("gone", "text", options)).toBe(false)
    await gateway.close("gone", options)
    expectStruck("sockets")
  })
})
