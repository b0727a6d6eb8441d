import type { EventPage } from "@switchyard/core/sessions/schema"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ModelServer, startModelServer } from "../fixtures/model-server/server.ts"
import { cases } from "../settings.ts"
import { type Frame, follow } from "./event-stream.ts"
import { call, postRun } from "./http.ts"
import { expectSound, readLedger } from "./ledger.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./processes.ts"
import { MODEL, projectTurn } from "./project.ts"
import { seeded } from "./random.ts"

const STORIES = cases({ usual: 1, deep: 10 })
const CUTS = 8
const AT_MOST_BYTES = 6000

let models: ModelServer
beforeAll(async () => {
  models = await startModelServer((request) => projectTurn(request))
})
afterAll(() => models.close())

describe("readers of a session whose server is stopped once and killed once", () => {
  it.each(Array.from({ length: STORIES }, (_, seed) => seed))(
    "hear every event once and in order, from the start and after a page of the tail (seed %i)",
    async (seed) => {
      await using folder = await temporaryFolder()
      const random = seeded(seed)
      let server: ServerProcess | Promise<ServerProcess> = startServer(folder.path, models.url)
      const url = async () => (await (await server).url) ?? Promise.reject(new Error("The server ended."))
      const session = `stream-${seed}`
      const path = `/api/v1/sessions/${session}`

      async function restart(signal: NodeJS.Signals): Promise<ServerProcess> {
        const old = await server
        old.kill(signal)
        await old.ended
        return startServer(folder.path, models.url)
      }
      const restarts = new Map([
        [random.between(5, 40), "SIGTERM"],
        [random.between(41, 80), "SIGKILL"],
      ] as const)
      let heard = 0
      const onFrame = () => {
        const signal = restarts.get(++heard)
        if (signal) server = restart(signal)
      }
      const cutAfter = (connection: number) => (connection < CUTS ? random.between(0, AT_MOST_BYTES) : undefined)
      const listen = (since: number, onFrame?: () => void) =>
        follow({ url, path: `${path}/stream?since_seq=${since}`, isLast, endless: true, cutAfter, onFrame })

      await postRun(await url(), { session, model: MODEL })
      const early = listen(0, onFrame)
      const { body: tail } = await call<EventPage>(`${await url()}${path}/events?tail=3`)
      const late = listen(tail.latest_seq)
      const [first, second] = await Promise.all([early, late])

      const { events } = await readLedger(folder.path, session)
      expectSound(await readLedger(folder.path, session), `seed ${seed}`)
      const told = events.map((event) => ({ ...event, session_id: session }))
      expect(first.frames).toEqual(told.map(frameOf))
      expect([...tail.events.map(frameOf), ...second.frames]).toEqual(told.slice(tail.from_seq - 1).map(frameOf))
      expect(first.cuts).toBe(CUTS)
      expect(heard).toBeGreaterThan(Math.max(...restarts.keys()))
      ;(await server).kill("SIGKILL")
      await (await server).ended
    },
  )
})

function isLast({ data }: Frame): boolean {
  return (data as { type: string }).type === "run_completed"
}

function frameOf(event: { seq: number }): Frame {
  return { id: String(event.seq), event: "event", data: event }
}
