import { once } from "node:events"
import type { ModelProvider } from "@switchyard/core/models/provider"
import { describe, expect, it } from "vitest"
import { startModelServer } from "../fixtures/model-server/server.ts"
import { cases, someOf } from "../settings.ts"
import { follow, streams } from "./event-stream.ts"
import { postRun } from "./http.ts"
import { serveHere } from "./in-process.ts"
import { endsOf, expectSound, readLedger, readSession, stepsOf } from "./ledger.ts"
import { startServer, temporaryFolder } from "./processes.ts"
import { MODEL, projectTurn, subjectOf, WHOLE } from "./project.ts"
import { turns } from "./random.ts"
import { SMALL_MODEL, SMALL_WHOLE, smallModel } from "./small-project.ts"
import { tellingStores } from "./writes.ts"

const SESSION = "stale"
/** An executor's first write to a session. The request makes the two writes before. */
const CLAIM = 3
const AT_ONCE = 4
/** Number of writes from one sleep to the next. */
const BETWEEN = cases({ usual: 4, deep: 1 })

describe("an executor that is taken over while it sleeps", () => {
  it("adds nothing when it wakes up, whichever of its writes it slept before", async () => {
    let slept = true
    for (let nth = CLAIM; slept; nth += AT_ONCE * BETWEEN) {
      const four = Array.from({ length: AT_ONCE }, (_, index) => sleepBefore(nth + index * BETWEEN))
      slept = (await Promise.all(four)).every((did) => did)
    }
  })

  /** Puts an executor to sleep before its n-th write. Resolves to false if there is no such write. */
  async function sleepBefore(nth: number): Promise<boolean> {
    const asleep = Promise.withResolvers<boolean>()
    const wake = Promise.withResolvers<void>()
    await using first = await serveHere({
      scripted: smallModel(),
      wrapStores: (stores) =>
        tellingStores(stores, [SESSION], async (_session, write) => {
          if (write.nth !== nth) return
          asleep.resolve(true)
          await wake.promise
        }),
    })
    const { body } = await postRun(first.server.url, { session: SESSION, model: SMALL_MODEL })
    const follower = (url: string) => {
      const { path, isLast } = streams.events
      return follow({ url: async () => url, path: path(body.run_id), isLast })
    }
    const slept = await Promise.race([asleep.promise, follower(first.server.url).then(() => false)])

    // Both servers share this process, so the second one takes the first one's executor for one from before a restart.
    await using second = await serveHere({ folder: first.folder, scripted: smallModel() })
    await follower(second.server.url)
    const before = await readSession(second.stores, SESSION)
    wake.resolve()
    await turns(300)
    await first.server.stop()

    const where = `asleep before write ${nth}`
    const after = await readLedger(first.folder, SESSION)
    expect(after, where).toEqual(before)
    expectSound(after, where)
    expect(endsOf(after.events, body.run_id), where).toMatchObject([{ type: "run_completed" }])
    expect(after.files, where).toEqual(SMALL_WHOLE)
    expect(first.reported, where).toEqual([])
    return slept
  }

  it("hears that it was, and lets go of its model", async () => {
    const signals: AbortSignal[] = []
    const asked = Promise.withResolvers<void>()
    const silent = smallModel((subject) => {
      if (subject !== "b.ts") return undefined
      asked.resolve()
      return [new Promise<never>(() => {})]
    })
    const watched: ModelProvider = {
      ...silent,
      stream(request, options) {
        signals.push(options.signal)
        return silent.stream(request, options)
      },
    }
    await using first = await serveHere({ scripted: watched })
    const { body } = await postRun(first.server.url, { session: SESSION, model: SMALL_MODEL })
    await asked.promise
    const signal = signals.at(-1)
    expect(signal?.aborted).toBe(false)

    await using second = await serveHere({ folder: first.folder, scripted: smallModel() })
    if (signal && !signal.aborted) await once(signal, "abort")
    expect(signal?.reason).toMatchObject({ code: "run_superseded" })
    const { path, isLast } = streams.events
    await follow({ url: async () => second.server.url, path: path(body.run_id), isLast })
    const ledger = await readSession(second.stores, SESSION)
    expectSound(ledger, "after the takeover")
    expect(ledger.files).toEqual(SMALL_WHOLE)
    expect(stepsOf(ledger.events)).toEqual(["coder:0:a.ts", "coder:1:b.ts"])
  })
})

describe("a process that is stopped until its lease is over", () => {
  it.each(someOf(["plan", "index.html", "README.md"], 1))(
    "adds nothing when it goes on, though its model answers (asleep while it waits for %s)",
    async (subject) => {
      await using folder = await temporaryFolder()
      const waiting = Promise.withResolvers<void>()
      const answer = Promise.withResolvers<void>()
      const models = await startModelServer(async (request) => {
        const isFirst = models.requests.filter((other) => subjectOf(other) === subject).length === 1
        if (isFirst && subjectOf(request) === subject) {
          waiting.resolve()
          await answer.promise
        }
        return projectTurn(request)
      })
      const first = startServer(folder.path, models.url)
      const { body } = await postRun((await first.url) ?? "", { session: SESSION, model: MODEL })
      await waiting.promise
      first.kill("SIGSTOP")

      const second = startServer(folder.path, models.url, { clockAheadMs: 120_000 })
      const url = (await second.url) ?? ""
      const { path, isLast } = streams.events
      await follow({ url: async () => url, path: path(body.run_id), isLast })
      const before = await readLedger(folder.path, SESSION)
      answer.resolve()
      first.kill("SIGCONT")
      first.kill("SIGINT")
      // The server ends once all its executors have ended.
      expect(await first.ended, first.output()).toEqual({ code: 0, signal: null })
      second.kill("SIGKILL")
      await second.ended
      await models.close()

      const after = await readLedger(folder.path, SESSION)
      expect(after).toEqual(before)
      expectSound(after, subject)
      expect(after.events.filter(({ type }) => type === "run_relaunched")).toHaveLength(1)
      expect(after.files).toEqual(WHOLE)
    },
  )
})
