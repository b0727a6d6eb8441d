import { CreateFunctionCommand } from "@aws-sdk/client-lambda"
import { createInvoke, createLambdaClient } from "@switchyard/functions/aws/invoke"
import { createGateway } from "@switchyard/functions/aws/sockets/gateway"
import { invokeByName, tradeBy } from "@switchyard/runner/serving/session-credentials"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { connectMoto } from "./connect.ts"

const { signal } = new AbortController()
const moto = connectMoto("us-east-1")
const request = { ticket: { sid: "a", generation: 1, attempt: 1, secret: "s" }, executor: "ecs-t1" }

describe("functions in Lambda on Moto", () => {
  const client = createLambdaClient(moto.config)
  beforeAll(async () => {
    await moto.withoutDocker()
    const role = { Action: "CreateRole", Version: "2010-05-08", RoleName: "fn", AssumeRolePolicyDocument: "{}" }
    await moto.ask("iam", role)
    for (const FunctionName of ["worker", "credentials"]) {
      const Role = "arn:aws:iam::123456789012:role/fn"
      const Code = { ZipFile: Buffer.from("code") }
      await client.send(new CreateFunctionCommand({ FunctionName, Role, Code, Runtime: "nodejs22.x", Handler: "a.b" }))
    }
    vi.stubEnv("AWS_REGION", moto.config.region)
    vi.stubEnv("AWS_ENDPOINT_URL_LAMBDA", moto.config.endpoint)
    vi.stubEnv("AWS_ACCESS_KEY_ID", "test")
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test")
  })
  afterAll(() => {
    vi.unstubAllEnvs()
    client.destroy()
  })

  it("are invoked without waiting for them", async () => {
    await createInvoke(client)("worker", { serve: "a" }, { signal })
  })

  it("answer a runner that asks for credentials, which it gets or doesn't", async () => {
    const trade = tradeBy(invokeByName("credentials"))
    await moto.functionsAnswer([{ granted: null }])
    expect(await trade(request)).toBeNull()
    const granted = { accessKeyId: "a", secretAccessKey: "b", sessionToken: "c", ticket: request.ticket }
    await moto.functionsAnswer([{ granted: { ...granted, expiration: "2026-01-01T00:00:00Z" } }])
    expect(await trade(request)).toMatchObject(granted)
  })
})

describe("connections of API Gateway on Moto", () => {
  it("are sent to, and closed", async () => {
    const gateway = createGateway(moto.config)
    expect(await gateway.post("one", JSON.stringify({ text: "é".repeat(10_000) }), { signal })).toBe(true)
    await gateway.close("one", { signal })
  })
})
