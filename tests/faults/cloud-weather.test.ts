import { createDynamoClient, createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { modelFor, subjectOf } from "../core/workflow/model.ts"
import { startDynamo } from "../emulators/dynamo.ts"
import { startWeather, type Weather } from "../rehearsal/weather.ts"
import { postRun } from "./http.ts"
import { serveHere } from "./in-process.ts"

const FILES = ["a.txt", "b.txt", "c.txt"]

describe("a run whose records are in DynamoDB", () => {
  let dynamo: Awaited<ReturnType<typeof startDynamo>>
  beforeAll(async () => {
    dynamo = await startDynamo()
  })
  afterAll(() => dynamo.stop())

  it("outlives answers that break off in the middle, more in a row than the SDK tries again", async () => {
    await expectDoneThrough(() => ({ truncated: true }))
  })

  /** A run that meets with this weather from its second file on, for some thirty requests. */
  async function expectDoneThrough(bad: Weather) {
    const weather = await startWeather(String(dynamo.config.endpoint))
    const client = createDynamoClient({ ...dynamo.config, endpoint: weather.url })
    const records = createDynamoRecords({ client, table: await dynamo.createTable() })
    const fair = Promise.withResolvers<void>()
    const scripted = modelFor(FILES, (request) => {
      if (subjectOf(request) === FILES[1] && weather.met() === 0) {
        weather.set((request) => {
          if (weather.met() < LONGER_THAN_THE_SDK_TRIES) return bad(request)
          fair.resolve()
          return undefined
        })
      }
      return undefined
    })
    await using here = await serveHere({ scripted, around: ({ blobs }) => ({ records, blobs }) })
    const posted = await postRun(here.server.url, { session: "foul", model: "scripted/test" })
    await fair.promise
    const run = await ended(here.server.url, posted.body.run_id)
    expect(run).toMatchObject({ status: "completed" })
    expect(await filesOf(here.server.url)).toEqual(FILES)
    weather.stop()
  }
})

const LONGER_THAN_THE_SDK_TRIES = 30

async function ended(url: string, runId: string): Promise<{ status: string }> {
  for (;;) {
    const run = await json<{ status: string; ended_at: string | null }>(`${url}/v1/runs/${runId}?wait=10`)
    if (["completed", "failed", "cancelled"].includes(run.status)) return run
  }
}

async function filesOf(url: string): Promise<string[]> {
  const { files } = await json<{ files: object }>(`${url}/workspace/files?workspace_id=foul`)
  return Object.keys(files)
}

async function json<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T
}
