import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ModelServer, startModelServer } from "../fixtures/model-server/server.ts"
import { cases } from "../settings.ts"
import { type FollowOptions, follow, streams } from "./event-stream.ts"
import { eventFrames, expectSound, projectedFrames, readLedger } from "./ledger.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./processes.ts"
import { MODEL, projectTurn } from "./project.ts"
import { type Random, seeded } from "./random.ts"

const RUNS = cases({ usual: 2, deep: 50 })
const CUTS = 5

/** Maximum bytes per connection. Each client is cut at least `CUTS` times before its run is complete. */
const AT_MOST_BYTES = { stream: 25_000, events: 5_000 }

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let models: ModelServer
let server: ServerProcess
beforeAll(async () => {
  folder = await temporaryFolder()
  // Characters of several bytes, so that cuts also split characters.
  const words = Array.from({ length: 40 }, (_, n) => `wörd–${n} ☃ `)
  models = await startModelServer((request) => {
    const { json, ...turn } = projectTurn(request)
    if (json) return { json: { ...json, description: "A list." } }
    return { ...turn, text: turn.text && [...turn.text, ...words] }
  })
  server = startServer(folder.path, models.url)
})
afterAll(async () => {
  server.kill("SIGKILL")
  await server.ended
  await models.close()
  await folder[Symbol.asyncDispose]()
})

let cuts = 0

describe("four clients of a run, each cut off five times at any byte", () => {
  it.concurrent.each(Array.from({ length: RUNS }, (_, seed) => seed))(
    "hear the run as its log tells it, whichever way they heard it (seed %i)",
    async (seed) => {
      const random = seeded(seed)
      const session = `run-${seed}`
      const first = Promise.withResolvers<string>()
      let frames = 0
      const waiting = new Map([1, 2, 3].map((client) => [client, random.between(1, 300)]))
      const begun = new Map([1, 2, 3].map((client) => [client, Promise.withResolvers<void>()]))
      const onFrame = () => {
        frames++
        for (const [client, after] of waiting) if (frames >= after) begun.get(client)?.resolve()
      }

      const starter = follow({
        ...common("stream", random),
        opening: {
          path: "/stream",
          body: { user_prompt: "Make a list.", workspace_id: session, model: MODEL },
          goOn(headers) {
            const runId = String(headers["x-run-id"])
            first.resolve(runId)
            return streams.stream.path(runId)
          },
        },
        onFrame,
      })
      const late = async (client: number, kind: keyof typeof streams) => {
        const runId = await first.promise
        await Promise.race([begun.get(client)?.promise, starter])
        return follow({ ...common(kind, random), path: streams[kind].path(runId) })
      }
      const heard = await Promise.all([starter, late(1, "stream"), late(2, "events"), late(3, "events")])

      const where = `seed ${seed}`
      const runId = await first.promise
      const ledger = await readLedger(folder.path, session)
      const { events } = ledger
      expectSound(ledger, where)
      const projected = projectedFrames(events, runId, session)
      const logged = eventFrames(events, runId, session)
      const [one, two, three, four] = heard.map((client) => client.frames)
      expect(one, where).toEqual(projected)
      expect(two, where).toEqual(projected)
      expect(three, where).toEqual(logged)
      expect(four, where).toEqual(logged)
      cuts += heard.reduce((sum, client) => sum + client.cuts, 0)
    },
  )

  it(`were cut off ${RUNS * 4 * CUTS} times in all`, () => {
    expect(cuts).toBe(RUNS * 4 * CUTS)
  })
})

function common(kind: keyof typeof streams, random: Random): FollowOptions {
  const url = async () => (await server.url) ?? Promise.reject(new Error(`The server ended: ${server.output()}`))
  const cutAfter = (connection: number) => (connection < CUTS ? random.between(0, AT_MOST_BYTES[kind]) : undefined)
  return { url, path: "", isLast: streams[kind].isLast, cutAfter }
}
