import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda"
import { createLambdaLauncher, readPayload } from "@switchyard/functions/aws/launcher"
import { mockClient } from "aws-sdk-client-mock"
import { beforeEach, describe, expect, it, vi } from "vitest"

const { signal } = new AbortController()
const lambda = mockClient(LambdaClient)
const launch = { sid: "sid", runId: "run_1", expectedGeneration: 2 }

/** Parses the invocations' payloads the way the worker does. */
const read = () =>
  lambda.commandCalls(InvokeCommand).map(({ args }) => {
    return readPayload(JSON.parse(Buffer.from((args[0].input.Payload as Uint8Array) ?? "").toString()))
  })

beforeEach(() => {
  lambda.reset()
  lambda.on(InvokeCommand).resolves({})
  vi.stubEnv("AWS_REGION", "eu-central-1")
})

describe("the worker is told", () => {
  it("which run to execute, which to have executed by a runner, which session wants one, and which webhook is to be told", async () => {
    const launcher = createLambdaLauncher({
      worker: "worker",
      agents: true,
      now: () => 5,
      report: (error: unknown) => expect.unreachable(String(error)),
    })
    await launcher.start({ ...launch, kind: "workflow" }, { signal })
    await launcher.start({ ...launch, kind: "agent" }, { signal })
    await launcher.serve?.("sid", { signal })
    const delivery = { sid: "sid", owner: "ada", delivery: "whk_1/que_1" }
    await launcher.startDelivery?.(delivery, { signal })
    expect(read()).toEqual([
      { run: { ...launch, kind: "workflow" }, askedAt: 5 },
      { run: { ...launch, kind: "agent" }, askedAt: 5 },
      { serve: "sid", askedAt: 5 },
      { delivery },
    ])
    expect(launcher.startWithinMs?.runner).toBeGreaterThan(150_000)
  })

  it("which session got a slot, and by an earlier version which run to execute, without the time of the request", () => {
    expect(readPayload({ granted: "sid" })).toEqual({ granted: "sid" })
    const earlier = { run_id: "run_1", sid: "sid", expected_generation: 2, kind: "agent" }
    expect(readPayload(earlier)).toEqual({ run: { ...launch, kind: "agent" }, askedAt: undefined })
  })

  it("of no agent where they are switched off, and nobody can ask for a runner", async () => {
    const reports: unknown[] = []
    const launcher = createLambdaLauncher({
      ...{ worker: "worker", agents: false, now: () => 5 },
      report: (error) => reports.push(error),
    })
    await launcher.start({ ...launch, kind: "agent" }, { signal })
    expect([read(), launcher.serve, launcher.startWithinMs]).toEqual([[], undefined, undefined])
    expect(reports).toMatchObject([{ message: expect.stringContaining("run_1") }])
  })
})
