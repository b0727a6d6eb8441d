import { once } from "node:events"
import { createLambdaClient } from "@switchyard/functions/aws/invoke"
import { createGateway } from "@switchyard/functions/aws/sockets/gateway"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { createLambda } from "./code.ts"
import { connectAws } from "./connect.ts"

const { signal } = new AbortController()
const aws = connectAws("eu-central-1")
/** Handler that answers a client with the ID of its connection, which the client can't learn otherwise. */
const CODE = "exports.handler = async ({ requestContext: { connectionId: body } }) => ({ statusCode: 200, body })"

describe(`connections of API Gateway on ${aws.name}`, () => {
  const client = createLambdaClient(aws.config)
  let stage = ""
  afterAll(() => client.destroy())

  beforeAll(async () => {
    const integrationUri = await createLambda(client, "sockets", { role: await aws.createRole("sockets"), code: CODE })
    const { apiId } = await aws.createInGateway("", {
      ...{ name: "sockets", protocolType: "WEBSOCKET", routeSelectionExpression: "$request.body.route" },
    })
    const integration = { integrationType: "AWS_PROXY", integrationUri }
    const { integrationId } = await aws.createInGateway(`/${apiId}/integrations`, integration)
    const route = { routeKey: "$default", target: `integrations/${integrationId}` }
    await aws.createInGateway(`/${apiId}/routes`, route)
    await aws.createInGateway(`/${apiId}/stages`, { stageName: "live" })
    stage = `/_aws/execute-api/${apiId}/live`
  })

  async function open() {
    const socket = new WebSocket(`${aws.endpoint.replace("http", "ws")}${stage}`)
    await once(socket, "open")
    async function next(): Promise<string> {
      const [message] = await once(socket, "message")
      return String(message)
    }
    const told = next()
    socket.send("{}")
    return { socket, next, connection: await told }
  }

  it("are sent to until they are closed, each its own", async () => {
    const gateway = createGateway({ ...aws.config, endpoint: `${aws.endpoint}${stage}` })
    const [one, other] = [await open(), await open()]
    for (const { connection, next } of [one, other]) {
      const text = JSON.stringify({ to: connection, text: "é".repeat(10_000) })
      const received = next()
      expect(await gateway.post(connection, text, { signal })).toBe(true)
      expect(await received).toBe(text)
    }
    const closed = once(one.socket, "close")
    await gateway.close(one.connection, { signal })
    await closed
    expect(await gateway.post(one.connection, "late", { signal })).toBe(false)
    await gateway.close(one.connection, { signal })
    expect(await gateway.post(other.connection, "still", { signal })).toBe(true)
    const left = once(other.socket, "close")
    other.socket.close()
    await left
    await expect.poll(() => gateway.post(other.connection, "late", { signal })).toBe(false)
  })
})
