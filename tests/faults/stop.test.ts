import { describe, expect, it } from "vitest"
import { startModelServer } from "../fixtures/model-server/server.ts"
import { follow, streams } from "./event-stream.ts"
import { postRun } from "./http.ts"
import { endsOf, eventFrames, expectSound, projectedFrames, readLedger } from "./ledger.ts"
import { startServer, temporaryFolder } from "./processes.ts"
import { FILES, MODEL, projectTurn, subjectOf, WHOLE } from "./project.ts"
import { createSuccession } from "./succession.ts"

const SESSION = "stopped"
const PATIENCE_MS = 5000
const HELD = "src/list.js"

describe("a server that is asked to stop in the middle of a run", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "hands the run over and ends within five seconds; the next one goes on with it (%s)",
    async (signal) => {
      await using folder = await temporaryFolder()
      const held = Promise.withResolvers<void>()
      const models = await startModelServer((request) => {
        const turn = projectTurn(request)
        const times = models.requests.filter((other) => subjectOf(other) === HELD).length
        if (subjectOf(request) !== HELD || times > 1) return turn
        held.resolve()
        return { ...turn, fault: { kind: "hang", afterFrames: 2 } }
      })
      const succession = createSuccession()
      const first = succession.succeed(startServer(folder.path, models.url))
      const { body } = await succession.ask((url) => postRun(url, { session: SESSION, model: MODEL }))
      const clients = [streams.stream, streams.events].map(({ path, isLast }) =>
        follow({ url: succession.url, path: path(body.run_id), isLast }),
      )
      await held.promise

      first.kill(signal)
      const timer = setTimeout(() => first.kill("SIGKILL"), PATIENCE_MS)
      expect(await first.ended, first.output()).toEqual({ code: 0, signal: null })
      clearTimeout(timer)
      const handedOver = await readLedger(folder.path, SESSION)
      expect(handedOver.events.at(-1)).toMatchObject({ type: "run_handed_over", run_id: body.run_id })
      const asked = models.requests.length

      const second = succession.succeed(startServer(folder.path, models.url))
      const [projected, logged] = await Promise.all(clients)
      second.kill("SIGKILL")
      await second.ended
      await models.close()
      const ledger = await readLedger(folder.path, SESSION)
      expectSound(ledger, signal)
      expect(endsOf(ledger.events, body.run_id)).toMatchObject([{ type: "run_completed" }])
      expect(ledger.files).toEqual(WHOLE)
      expect(projected?.frames).toEqual(projectedFrames(ledger.events, body.run_id, SESSION))
      expect(logged?.frames).toEqual(eventFrames(ledger.events, body.run_id, SESSION))
      const subjects = new Set(models.requests.slice(asked).map(subjectOf))
      expect([...subjects]).toEqual(FILES.slice(FILES.indexOf(HELD)))
    },
  )

  it("says that the run goes on to who waits for its outcome, and not that it was cancelled", async () => {
    await using folder = await temporaryFolder()
    const held = Promise.withResolvers<void>()
    const models = await startModelServer((request) => {
      held.resolve()
      return { ...projectTurn(request), fault: { kind: "hang", afterFrames: 0 } }
    })
    const server = startServer(folder.path, models.url)
    const url = await server.url
    const answer = fetch(`${url}/generate`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ user_prompt: "Make a list.", workspace_id: SESSION, model: MODEL }),
    })
    await held.promise
    server.kill("SIGINT")
    const { error } = (await (await answer).json()) as { error: { details: object } }
    await server.ended
    await models.close()
    const { events } = await readLedger(folder.path, SESSION)
    const runId = events.find(({ type }) => type === "run_created")?.run_id
    expect(error.details).toMatchObject({ run_id: runId, error_type: "interrupted" })
  })
})
