import { createDelivery, type Message, turnText } from "@switchyard/core/agents/conversations/delivery"
import { createAgent, queueMessage } from "@switchyard/core/agents/conversations/rules"
import { isAppError } from "@switchyard/core/errors"
import type { EventOf } from "@switchyard/core/events"
import { createNewId } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { logName } from "@switchyard/core/kernel/keys"
import { openSession } from "@switchyard/core/kernel/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { createSealer } from "@switchyard/core/storage/sealing"
import type { Launch } from "@switchyard/core/work/runs/launcher"
import { createReconcile } from "@switchyard/core/work/runs/reconcile"
import { cancelRun, claimRun, endRun, parkRun } from "@switchyard/core/work/runs/rules"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import { activeRuns } from "@switchyard/core/work/runs/state"
import { sweep } from "@switchyard/core/work/runs/sweep"
import { describe, expect, it } from "vitest"
import { failingStores } from "../../../faults/failing-stores.ts"
import { seeded } from "../../../faults/random.ts"
import { openStores } from "../../../fixtures/stores.ts"
import { cases, never } from "../../../settings.ts"

const signal = never
const subject = { kind: "messages" as const, sid: "sid", session_id: "s", owner: "anna" }
const nothing = async () => undefined

/** Opens a session on stores that can fail, with a server that delivers its messages. */
async function stage() {
  const kept = await openStores()
  const launches: Launch[] = []
  let now = 1_000_000
  const clock = { now: () => now, monotonic: () => now, sleep: nothing }
  /** Composes a server process whose store calls fail after the first `failAfter`. */
  function process(failAfter = Number.POSITIVE_INFINITY) {
    let calls = 0
    const stores = failingStores(kept, async () => (++calls > failAfter ? "before" : undefined))
    const base = {
      ...{ ...stores, clock, newId: createNewId(() => now), writer: "test", fold: sessionFold, retryForMs: 0 },
      log: createLog({ ...stores, clock, retryForMs: 0 }),
      due: createDueList(stores.records),
      index: createRunIndex(stores.records),
      keys: createRunSecrets(stores.records, createSealer(new Uint8Array(32)), clock.now),
      launcher: { start: async (launch: Launch) => void launches.push(launch) },
      limitSettings: { planFor: async () => undefined },
      permissionRules: { rulesFor: async () => [{ tool: "bash" as const, effect: "deny" as const }] },
      repositories: { setupFor: async () => undefined },
      startConsents: { digestsFor: async () => [] },
      setupConsents: { allowedFor: async () => ({}) },
      closeLooseEnds: async () => [],
      report: () => undefined,
    }
    const delivery = createDelivery(base)
    return { ...base, delivery, afterRun: delivery.afterRun, calls: () => calls }
  }
  const whole = process()
  const session = await openSessionLog(whole, "sid", { signal })
  await session.decide(openSession("s"), { signal })
  const program = { cli: "mock" as const, account: null, model: null, reasoning: null }
  for (const name of ["one", "two"])
    await session.decide(createAgent({ agentId: `agt_${name}`, name, program, mode: "ask", worktree: "own" }), {
      signal,
    })

  const say = (deps: ReturnType<typeof process>, agentId: string, messageId: string, content = messageId) =>
    deps.delivery.send(subject, agentId, { messageId, content, source: "api" }, { signal })

  /** Claims and ends a run like a runner, then has the server reconcile it. Resolves to false if no run is active. */
  async function work(deps: ReturnType<typeof process>): Promise<boolean> {
    const log = await openSessionLog(whole, "sid", { signal })
    const [run] = activeRuns(log.state)
    if (!run) return false
    await log.decide(claimRun(run.runId, "exe", run.generation), { signal })
    await log.decide(endRun(run.runId, run.generation + 1, now, { type: "run_completed" }), { signal })
    await createReconcile(deps)(log, run.runId, { signal })
    return true
  }

  async function sweepLater() {
    now += 120_000
    const others = { sweepSession: nothing, sweepWorktree: nothing, sweepArchive: nothing, forgetRun: nothing }
    await sweep({ ...whole, ...others, sweepMessages: whole.delivery.sweep }, { signal })
  }

  async function events<T extends "agent_message_delivered" | "agent_message_queued" | "run_created">(
    type: T,
  ): Promise<EventOf<T>[]> {
    const all = await Array.fromAsync(whole.log.read(logName("sid"), 0, { signal }))
    return all.filter((event) => event.type === type) as unknown as EventOf<T>[]
  }

  return { process, whole, say, work, sweepLater, events, launches, close: () => kept.close() }
}

/** Ignores the death of a process, which its caller sees as an unavailable store. */
async function unlessDead(task: Promise<unknown>): Promise<void> {
  await task.catch((error) => {
    if (!isAppError(error, "storage_unavailable")) throw error
  })
}

describe("the delivery of messages", () => {
  it("begins a turn at once, gathers what comes meanwhile, and delivers that when the turn is over", async () => {
    const scene = await stage()
    await scene.say(scene.whole, "agt_one", "m1")
    await scene.say(scene.whole, "agt_one", "m2")
    await scene.say(scene.whole, "agt_one", "m3", "x".repeat(50_000))
    const first = await scene.events("agent_message_delivered")
    const [turn] = await scene.events("run_created")
    expect(turn).toMatchObject({ input: { rules: [{ tool: "bash", effect: "deny" }] } })
    expect(first.map(({ message_ids }) => message_ids)).toEqual([["m1"]])
    expect(scene.launches).toHaveLength(1)
    await scene.work(scene.whole)
    const both = await scene.events("agent_message_delivered")
    expect(both.map(({ message_ids }) => message_ids)).toEqual([["m1"], ["m2", "m3"]])
    expect(scene.launches.map(({ runId }) => runId)).toEqual(both.map(({ run_id }) => run_id))
    await scene.close()
  })

  it.each([
    ["sid", "https://github.com/our/app"],
    ["another session", undefined],
  ])("names the repository of an earlier run of the session, if that run is of %s", async (sid, repository) => {
    const scene = await stage()
    await scene.say(scene.whole, "agt_one", "m1")
    const [first] = await scene.events("run_created")
    const ref = await scene.whole.index.get(first?.run_id ?? "", { signal })
    if (!ref) throw new Error("The run has no entry.")
    await scene.whole.index.add({ ...ref, sid, repository: "https://github.com/our/app" }, { signal })
    await scene.say(scene.whole, "agt_two", "m2")
    const [, second] = await scene.events("run_created")
    const next = await scene.whole.index.get(second?.run_id ?? "", { signal })
    expect([next?.sid, next?.repository]).toEqual(["sid", repository])
    await scene.close()
  })

  it("happens once, whoever delivers at the same time", async () => {
    const scene = await stage()
    const log = await openSessionLog(scene.whole, "sid", { signal })
    await log.decide(queueMessage("agt_one", { messageId: "m1", content: "x", source: "api" }), { signal })
    await Promise.all(Array.from({ length: 8 }, () => scene.process().delivery.deliver(subject, { signal })))
    expect(await scene.events("agent_message_delivered")).toHaveLength(1)
    expect(scene.launches).toHaveLength(1)
    await scene.close()
  })

  it("is the sweep's where the server dies before it, at whichever call", async () => {
    for (let calls = 0, isWhole = false; !isWhole; calls++) {
      const scene = await stage()
      const dying = scene.process(calls)
      await unlessDead(scene.say(dying, "agt_one", "m1"))
      isWhole = dying.calls() <= calls
      for (let round = 0; round < 2; round++) await scene.sweepLater()
      const queued = await scene.events("agent_message_queued")
      expect(await scene.events("agent_message_delivered")).toHaveLength(queued.length)
      await scene.close()
    }
  })

  it("is the sweep's, too, where a parked run was cancelled by a server that died then", async () => {
    const scene = await stage()
    await scene.say(scene.whole, "agt_one", "m1")
    const log = await openSessionLog(scene.whole, "sid", { signal })
    const [{ runId } = { runId: "" }] = activeRuns(log.state)
    await log.decide(claimRun(runId, "exe", 0), { signal })
    await log.decide(parkRun(runId, 1, { reason: "It waits.", waitsFor: null, now: 0 }), { signal })
    await scene.say(scene.whole, "agt_one", "m2")
    for (let round = 0; round < 3; round++) await scene.sweepLater()
    expect(await scene.events("agent_message_delivered")).toHaveLength(1)
    await log.decide(cancelRun(runId, "enough", 0), { signal })
    await scene.sweepLater()
    expect(await scene.events("agent_message_delivered")).toMatchObject([{}, { message_ids: ["m2"] }])
    await scene.close()
  })

  it.each(Array.from({ length: cases({ usual: 20, deep: 400 }) }, (_, seed) => seed))(
    "loses and doubles nothing, wherever the server dies (seed %i)",
    async (seed) => {
      const scene = await stage()
      const random = seeded(seed)
      const sent: string[] = []
      for (let step = 0; step < 12; step++) {
        const dying = random.next() < 0.6 ? scene.process(random.between(0, 25)) : scene.process()
        if (random.next() < 0.6) {
          const id = `m${step}`
          sent.push(id)
          const agentId = random.pick(["agt_one", "agt_two"])
          await unlessDead(scene.say(dying, agentId, id))
          // A client without an answer retries like this.
          if (random.next() < 0.7) await scene.say(scene.whole, agentId, id)
        } else await unlessDead(scene.work(dying))
        if (random.next() < 0.3) await scene.sweepLater()
      }
      for (let round = 0; round < 8; round++) {
        while (await scene.work(scene.whole));
        await scene.sweepLater()
      }
      const queued = await scene.events("agent_message_queued")
      const delivered = await scene.events("agent_message_delivered")
      const agentOf = new Map(queued.map(({ message_id, agent_id }) => [message_id, agent_id]))
      const ids = delivered.flatMap(({ message_ids }) => message_ids)
      expect([...ids].sort()).toEqual([...agentOf.keys()].sort())
      expect(new Set(ids).size).toBe(ids.length)
      for (const { agent_id, message_ids } of delivered)
        for (const id of message_ids) expect(agentOf.get(id)).toBe(agent_id)
      await scene.close()
    },
  )
})

describe("the text of a turn", () => {
  const message = (content: string, source = "api"): Message => ({
    ...{ messageId: content, seq: 1, content, displayAs: undefined, source },
  })

  it("is the message itself, or all of them by number", () => {
    expect(turnText([message(" Do it. ")])).toBe("Do it.")
    expect(turnText([message("A"), message("B")])).toBe(
      "2 messages came while you were busy, the oldest first. Read all of them, then answer once.\n\n1. A\n\n2. B",
    )
  })

  it("names an agent that sent it", () => {
    expect(turnText([message("A", "agent:helper")])).toBe("From the agent helper:\n\nA")
  })
})
