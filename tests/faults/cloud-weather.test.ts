import { createDynamoClient, createDynamoRecords } from "@switchyard/core/storage/dynamo"
import type { Run } from "@switchyard/core/work/runs/schema"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { modelFor, subjectOf } from "../core/work/workflow/model.ts"
import { itDeep } from "../depth.ts"
import { startDynamo } from "../emulators/dynamo.ts"
import { ended } from "../ended.ts"
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
    await expectDoneThrough(12, () => ({ truncated: true }))
  })

  itDeep("outlives requests that nobody answers", async () => {
    let asked = 0
    await expectDoneThrough(3, () => (++asked % 7 === 0 ? { never: true } : undefined))
  })

  /** Runs a workflow that meets this weather `times` times, from its second file on. */
  async function expectDoneThrough(times: number, bad: Weather) {
    const weather = await startWeather(String(dynamo.config.endpoint))
    const { requestHandler: _, ...config } = dynamo.config
    const client = createDynamoClient({ ...config, endpoint: weather.url })
    const records = createDynamoRecords({ client, table: await dynamo.createTable() })
    const fair = Promise.withResolvers<void>()
    const scripted = modelFor(FILES, (request) => {
      if (subjectOf(request) === FILES[1] && weather.met() === 0) {
        weather.set((...asked) => {
          if (weather.met() < times) return bad(...asked)
          fair.resolve()
          return undefined
        })
      }
      return undefined
    })
    await using here = await serveHere({ scripted, wrapStores: ({ blobs }) => ({ records, blobs }) })
    const posted = await postRun(here.server.url, { session: "foul", model: "scripted/test" })
    await fair.promise
    const run = await ended((path) => json<Run>(`${here.server.url}${path}`), posted.body.run_id)
    expect(run).toMatchObject({ status: "completed" })
    expect(await filesOf(here.server.url)).toEqual(FILES)
    weather.stop()
  }
})

async function filesOf(url: string): Promise<string[]> {
  const { files } = await json<{ files: object }>(`${url}/workspace/files?workspace_id=foul`)
  return Object.keys(files)
}

async function json<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T
}
