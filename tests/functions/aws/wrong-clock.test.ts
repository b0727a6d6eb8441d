import { createEcsClient, createTasks } from "@switchyard/functions/aws/ecs"
import { createInvoke, createLambdaClient } from "@switchyard/functions/aws/invoke"
import { createGateway } from "@switchyard/functions/aws/sockets/gateway"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
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
