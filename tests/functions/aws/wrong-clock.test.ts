import { createEcsClient, createTasks } from "@switchyard/functions/aws/ecs"
import { createInvoke, createLambdaClient } from "@switchyard/functions/aws/invoke"
import { createGateway } from "@switchyard/functions/aws/sockets/gateway"
import {
  createSessionCredentials,
  exchangeTicketWith,
  invokeByName,
} from "@switchyard/runner/serving/session-credentials"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { behindClock, wrongClockContract } from "../../contracts/wrong-clock.ts"
import { startWebSocketGateway } from "../../emulators/websocket-gateway.ts"
import { PLACE, startEcs } from "../../rehearsal/ecs.ts"
import { never } from "../../settings.ts"
import { startAws } from "./lambda.ts"

const options = { signal: never }

describe.each([20, -20])("a clock that AWS's is %i minutes ahead of", (minutes) => {
  let aws: Awaited<ReturnType<typeof startAws>>
  const stops: (() => unknown)[] = []
  beforeAll(async () => {
    aws = await startAws()
    stops.push(aws.stop)
  })
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  async function connect(target: string) {
    const connected = await behindClock(target, minutes)
    stops.push(connected.stop)
    return connected
  }

  wrongClockContract("DynamoDB and S3", minutes, async () => ({
    ...{ dynamo: aws.env.AWS_ENDPOINT_URL_DYNAMODB, table: aws.env.TABLE },
    ...{ s3: aws.env.AWS_ENDPOINT_URL_S3, bucket: aws.env.BUCKET },
  }))

  it("has no refusal of a task, a function or a connection asked for again", async () => {
    const ecs = await startEcs({ folder: "/none", env: () => ({}), log: () => {} })
    stops.push(ecs.stop)
    const { config, askedBy } = await connect(ecs.endpoint)
    const tasks = createTasks(PLACE, createEcsClient(config))
    await tasks.describe("gone", options)
    expect(await askedBy(() => tasks.stop("gone", "Enough.", options))).toBe(1)

    const lambda = await connect(aws.env.AWS_ENDPOINT_URL_LAMBDA)
    const invoke = createInvoke(createLambdaClient(lambda.config))
    await invoke("the-worker", { serve: "a" }, options)
    aws.refuse(true)
    const refused = () => expect(invoke("the-worker", { serve: "b" }, options)).rejects.toThrow()
    expect(await lambda.askedBy(refused)).toBe(1)
    aws.refuse(false)

    const sockets = await startWebSocketGateway()
    stops.push(sockets.stop)
    const socket = await connect(sockets.endpoint)
    const gateway = createGateway(socket.config)
    await gateway.close("gone", options)
    expect(await socket.askedBy(() => gateway.post("gone", "text", options))).toBe(1)
  })
})

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

describe.each([58, -58])("a runner's clock that AWS's is %i minutes ahead of", (minutes) => {
  it("has a ticket traded once while the credentials last, and again before their end", async () => {
    const aws = await startAws()
    const { config, askedBy, stop } = await behindClock(aws.env.AWS_ENDPOINT_URL_LAMBDA, minutes)
    const atAws = () => Date.now() + minutes * MINUTE_MS
    const ticket = { sid: "a", generation: 1, attempt: 1, secret: "s" }
    aws.answers(async () => ({
      granted: {
        ...{ accessKeyId: "a", secretAccessKey: "b", sessionToken: "c", ticket },
        expiration: new Date(atAws() + HOUR_MS).toISOString(),
      },
    }))
    for (const [name, value] of Object.entries({ ...aws.env, AWS_ENDPOINT_URL_LAMBDA: config.endpoint })) {
      vi.stubEnv(name, value)
    }
    try {
      const { ask, now } = invokeByName("credentials")
      let laterMs = 0
      const deps = { trade: exchangeTicketWith(ask), now: () => now() + laterMs }
      const { provide } = createSessionCredentials(deps, { ticket, executor: "ecs-a" })
      const often = async () => {
        for (let request = 0; request < 10; request++) await provide()
      }
      expect(await askedBy(often)).toBe(1)
      laterMs = 50 * MINUTE_MS
      expect(await askedBy(often)).toBe(0)
      laterMs = 57 * MINUTE_MS
      expect(await askedBy(provide)).toBe(1)
    } finally {
      vi.unstubAllEnvs()
      await stop()
      await aws.stop()
    }
  })
})
