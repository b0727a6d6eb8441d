import { once } from "node:events"
import { claimRunner } from "@switchyard/core/agents/terminals/rules"
import { createDecisions } from "@switchyard/runner/agents/decisions"
import { describe, expect, it } from "vitest"
import { createAttachments } from "../../../packages/runner/src/agents/attachments.ts"
import { serveSession } from "../../../packages/runner/src/serving/serve-session.ts"
import { type Depot, openDepot } from "../runner-process.ts"

describe("serving a session", () => {
  it("ends without an error when another runner claims the session, whatever that interrupts", async () => {
    await using depot = await openDepot()
    await depot.create({})
    const { signal } = new AbortController()
    const serving = serve(depot, interrupted, signal)
    await depot.seen("runner_claimed")
    await depot.session.decide(claimRunner("another"), { signal })
    await expect(serving).resolves.toBeUndefined()
    expect(await reasons(depot)).toEqual([])
  })

  it("ends without an error when the runner is asked to stop, whatever that interrupts", async () => {
    await using depot = await openDepot()
    await depot.create({})
    const stop = new AbortController()
    const serving = serve(depot, interrupted, stop.signal)
    await depot.seen("runner_claimed")
    stop.abort()
    await expect(serving).resolves.toBeUndefined()
    expect(await reasons(depot)).toEqual(["the runner was asked to stop"])
  })

  it("ends with the error of a part that fails, once the others have ended", async () => {
    await using depot = await openDepot()
    await depot.create({})
    const broken = () => Promise.reject(new Error("A part is broken."))
    await expect(serve(depot, broken, new AbortController().signal)).rejects.toThrow("A part is broken.")
    expect(await reasons(depot)).toEqual(["the runner failed"])
  })
})

/** As a read of the store does that is under way at the end. */
async function interrupted(ended: AbortSignal): Promise<void> {
  await once(ended, "abort")
  throw ended.reason
}

/** Serves the session with one part that is the test's own. */
function serve({ deps, sid }: Depot, part: (ended: AbortSignal) => Promise<void>, signal: AbortSignal) {
  const { records } = deps
  async function* launches() {
    await once(new EventTarget(), "launch")
    yield* []
  }
  return serveSession(
    {
      ...deps,
      executor: "ours",
      attachments: createAttachments(),
      decisions: createDecisions(),
      leases: records,
      async reconcile() {},
      async watchCollisions() {},
      verboseErrors: true,
      report: console.error,
      send() {},
      async keepAsks() {},
      async cleanUp() {},
      createWork: () => ({
        agent: async () => {},
        train: async () => {},
        check: async () => {},
        shellCommand: async () => {},
      }),
      createPreview: () => ({ busy: false, serve: async () => {} }),
      createWorktrees: () => ({
        of: () => {
          throw new Error("No run is executed here.")
        },
        busy: false,
        save: async () => {},
        serve: ({ signal: ended }) => part(ended),
      }),
    },
    { sid, idleMs: 600_000, launches: launches() },
    { signal },
  )
}

async function reasons(depot: Depot): Promise<string[]> {
  return (await depot.events()).flatMap((event) => (event.type === "runner_parked" ? [event.reason] : []))
}
