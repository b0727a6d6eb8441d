import type { Run } from "@switchyard/core/work/runs/schema"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { RecordedRequest, Turn } from "../fixtures/model-server/script.ts"
import { type ModelServer, startModelServer } from "../fixtures/model-server/server.ts"
import { follow, streams } from "./event-stream.ts"
import { call, postRun } from "./http.ts"
import { endsOf, eventFrames, expectSound, projectedFrames, readLedger } from "./ledger.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./processes.ts"
import { FILES, MODEL, projectTurn, subjectOf, WHOLE } from "./project.ts"

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let models: ModelServer
let turn: (request: RecordedRequest) => Turn | Promise<Turn>
let servers: ServerProcess[]
let urls: [string, string]

beforeAll(async () => {
  folder = await temporaryFolder()
  models = await startModelServer((request) => turn(request))
  // Both start at once, on a folder that doesn't exist yet.
  servers = [startServer(folder.path, models.url), startServer(folder.path, models.url)]
  urls = (await Promise.all(servers.map(({ url }) => url))) as [string, string]
})
beforeEach(() => {
  turn = projectTurn
  models.requests.length = 0
})
afterAll(async () => {
  for (const server of servers) server.kill("SIGKILL")
  await Promise.all(servers.map(({ ended }) => ended))
  await models.close()
  await folder[Symbol.asyncDispose]()
})

const isCoderStart = ({ event, data }: { event: string; data: unknown }) =>
  event === "on_node_start" && (data as { node: string }).node === "coder"

describe("two servers on one data folder", () => {
  it("tell a run of the one live to a client of the other, and execute it once", async () => {
    const begun = FILES.map(() => Promise.withResolvers<void>())
    // Each file is written only after a client of the other server has received the start of its step.
    turn = async (request) => {
      await begun[FILES.indexOf(subjectOf(request))]?.promise
      return projectTurn(request)
    }
    const { body } = await postRun(urls[0], { session: "told", model: MODEL })
    let starts = 0
    const told = (kind: keyof typeof streams, onFrame?: Parameters<typeof follow>[0]["onFrame"]) => {
      const { path, isLast } = streams[kind]
      return follow({ url: async () => urls[1], path: path(body.run_id), isLast, onFrame })
    }
    const [projected, logged] = await Promise.all([
      told("stream", (frame) => isCoderStart(frame) && begun[starts++]?.resolve()),
      told("events"),
    ])

    const ledger = await readLedger(folder.path, "told")
    expectSound(ledger, "told")
    expect(ledger.files).toEqual(WHOLE)
    expect(ledger.events.filter(({ type }) => type === "run_claimed")).toHaveLength(1)
    expect(projected.frames).toEqual(projectedFrames(ledger.events, body.run_id, "told"))
    expect(logged.frames).toEqual(eventFrames(ledger.events, body.run_id, "told"))
    const asked = Object.entries(Object.groupBy(models.requests, subjectOf)).map(([subject, all]) => [
      subject,
      all?.length,
    ])
    expect(asked).toEqual([["plan", 1], ["task_plan", 1], ...FILES.map((path) => [path, 1])])
  })

  it("refuse a second run in a session of which the other executes one, and cancel that", async () => {
    const asked = Promise.withResolvers<void>()
    turn = (request) => {
      asked.resolve()
      return { ...projectTurn(request), fault: { kind: "hang", afterFrames: 0 } }
    }
    const { body } = await postRun(urls[0], { session: "taken", model: MODEL })
    await asked.promise
    expect((await postRun(urls[1], { session: "taken", model: MODEL })).status).toBe(409)

    const { path, isLast } = streams.stream
    const following = follow({ url: async () => urls[0], path: path(body.run_id), isLast })
    const cancelled = await call<Run>(`${urls[1]}/v1/runs/${body.run_id}/cancel`, { method: "POST" })
    expect(cancelled.body).toMatchObject({ status: "running", cancel_requested: true })
    expect((await following).frames.at(-1)).toMatchObject({ event: "error", data: { error_type: "cancelled" } })
    const { body: run } = await call<Run>(`${urls[1]}/v1/runs/${body.run_id}`)
    expect(run.status).toBe("cancelled")
  })

  it("leave a run alone that another executes when a third starts", async () => {
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    turn = async (request) => {
      const [first] = models.requests
      if (request === first) {
        asked.resolve()
        await answer.promise
      }
      return projectTurn(request)
    }
    const { body } = await postRun(urls[0], { session: "alone", model: MODEL })
    await asked.promise
    const third = startServer(folder.path, models.url)
    const url = (await third.url) ?? ""
    const end = (at: string, runId: string) =>
      follow({ url: async () => at, path: streams.stream.path(runId), isLast: streams.stream.isLast })
    // Once the third server has executed its own run, it has also looked at the existing runs.
    const own = await postRun(url, { session: "own", model: MODEL })
    await end(url, own.body.run_id)
    answer.resolve()
    await end(url, body.run_id)
    third.kill("SIGKILL")
    await third.ended

    const { events } = await readLedger(folder.path, "alone")
    expect(events.filter(({ type }) => type === "run_claimed")).toHaveLength(1)
    expect(endsOf(events, body.run_id)).toMatchObject([{ type: "run_completed" }])
  })
})
