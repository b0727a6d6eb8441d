import { WarmTicket } from "@switchyard/core/agents/runner/warm-schema"
import { SETTINGS_NAME, warmKey, warmTicket } from "@switchyard/core/agents/runner/warm-ticket"
import { AppError } from "@switchyard/core/errors"
import type { Records } from "@switchyard/core/storage/records"
import { createSealer } from "@switchyard/core/storage/sealing"
import type { TaskRequest, Tasks } from "@switchyard/functions/aws/ecs"
import { createRunnerTasks } from "@switchyard/functions/aws/runner-tasks"
import type { WarmLaunch } from "@switchyard/functions/aws/warm-handovers"
import { createWarmPool } from "@switchyard/functions/aws/warm-pool"
import { keepWarm } from "@switchyard/functions/aws/warm-runners"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { seeded } from "../../faults/random.ts"
import { openStores, type Stores } from "../../fixtures/stores.ts"
import { cases, never } from "../../settings.ts"

const options = { signal: never }
const MASTER = new Uint8Array(32).fill(5)
const DEFINITION = "runner:1"
const MINUTE_MS = 60_000

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

type Fate = "lost" | "full" | "refused" | undefined

/**
 * Opens a stage whose ECS starts one task per token and may lose its answers. Waiting runners poll only when the test
 * calls `ask`. `fate` selects the result of each request, and `records` are the workers' records.
 */
function openStage({
  fate = () => undefined as Fate,
  records = stores.records as Records,
  /** True if a stop request ends the task. If false, stop requests have no effect. */
  stopsAtOnce = true,
  images = {} as Record<string, string>,
} = {}) {
  let now = 1_000_000
  const clock = { now: () => now, monotonic: () => now, sleep: async () => {} }
  const serving = new Set<string>()
  const begun: { task: string; request: TaskRequest; ended: boolean }[] = []
  const reports: unknown[] = []
  const tasks: Tasks = {
    async run(request) {
      const how = fate()
      if (how === "full") return { problem: { kind: "no_capacity", reason: "Capacity is unavailable." } }
      if (how === "refused") throw new Error("Not authorized")
      const known = begun.find(({ request: { token } }) => token === request.token)
      if (!known) begun.push({ task: `t${begun.length + 1}`, request, ended: false })
      else expect(known.request).toEqual(request)
      if (how === "lost") return { problem: { kind: "busy", reason: "socket hang up" } }
      return { task: begun.find(({ request: { token } }) => token === request.token)?.task ?? "" }
    },
    async describe(task) {
      const known = begun.find((one) => one.task === task)
      return known && !known.ended ? { phase: "running" } : { stopped: "It stopped." }
    },
    stoppedOf: async (named) => named.filter((task) => begun.find((one) => one.task === task)?.ended !== false),
    async stop(task) {
      if (stopsAtOnce) end(task)
    },
  }
  function end(task: string) {
    const known = begun.find((one) => one.task === task)
    if (known) known.ended = true
  }
  const pool = createWarmPool({ records: stores.records, clock })
  const place = {
    ...{ cluster: "c", task_definition: DEFINITION, agent_definitions: { mock: "runner-mock:1", ...images } },
    ...{ subnets: ["s"], security_group: "g" },
  }
  const deps = {
    ...{ clock, records, place, masterKey: MASTER, verboseErrors: false, allowedHosts: [] },
    ...{ openTasks: async () => tasks, report: (error: unknown) => reports.push(error) },
  }
  const ticketOf = ({ environment }: TaskRequest) => WarmTicket.parse(JSON.parse(environment.RUNNER_WARM ?? "null"))
  const alive = () => begun.filter(({ ended, request }) => !ended && request.session === null)

  return {
    ...{ pool, begun, alive, end, reports, clock },
    pass: (ms: number) => (now += ms),
    keep: (count: number, definition = DEFINITION) => keepWarm(deps, { count, definition }, options),
    launch: (sid: string, given: { attempt?: number; agent?: string } = {}) =>
      createRunnerTasks(deps).start({ sid, generation: 1, attempt: 1, agent: undefined, ...given }, options),
    /**
     * Lets each waiting runner poll once. A runner that must leave ends. A runner that serves a session stops polling.
     */
    async ask() {
      const answers: { task: string; settings?: { RUNNER_SESSION: string; RUNNER_TICKET: string } }[] = []
      for (const { task, request } of alive().filter(({ task }) => !serving.has(task))) {
        const ticket = ticketOf(request)
        const told = await pool.ask(ticket, `ecs-${task}`, options)
        if (told.now === "leave") end(task)
        if (told.now !== "serve") continue
        const sealed = new Uint8Array(Buffer.from(told.sealed, "base64"))
        const settings = JSON.parse(createSealer(warmKey(MASTER, ticket.id)).open(ticket.id, SETTINGS_NAME, sealed))
        serving.add(task)
        answers.push({ task, settings })
      }
      return answers
    },
    ticketOf,
  }
}

describe("the runners that wait for a session", () => {
  it("are as many as shall wait, each told of nothing but its own ticket", async () => {
    const stage = openStage()
    await stage.keep(2)
    expect(stage.begun.map(({ request }) => request)).toMatchObject([
      { session: null, definition: DEFINITION },
      { session: null, definition: DEFINITION },
    ])
    for (const { request } of stage.begun) {
      expect(Object.keys(request.environment).sort()).toEqual(["RUNNER_WARM", "RUNNER_WARM_KEY"])
    }
    await stage.ask()
    await stage.keep(2)
    expect(stage.alive()).toHaveLength(2)
    expect(await stage.pool.isDue(2, options)).toBe(false)
  })

  it("are given to one launch each, which another can't claim, and are replaced", async () => {
    const stage = openStage()
    await stage.keep(1)
    await stage.ask()
    const launched = await Promise.all(["a", "b", "c"].map((sid) => stage.launch(sid)))
    const given = launched.filter(({ task }) => task === "t1")
    expect(given).toHaveLength(1)
    // The other launches start their own containers.
    expect(stage.begun.filter(({ request }) => request.session !== null)).toHaveLength(2)
    const [first] = stage.begun
    const ask = () => stage.pool.ask(stage.ticketOf(first?.request as TaskRequest), "ecs-t1", options)
    // A runner that missed the answer gets the same answer again.
    expect(await ask()).toEqual(await ask())
    const [answer] = await stage.ask()
    const sid = ["a", "b", "c"][launched.findIndex(({ task }) => task === "t1")]
    expect(answer).toMatchObject({ task: "t1", settings: { RUNNER_SESSION: sid } })
    expect(JSON.parse(answer?.settings?.RUNNER_TICKET ?? "")).toMatchObject({ sid, generation: 1, attempt: 1 })

    await stage.keep(1)
    await stage.ask()
    expect(stage.alive().map(({ task }) => task)).toHaveLength(2)
    const next = await stage.launch("d")
    expect(next.task).not.toBe("t1")
    expect(stage.begun.find(({ task }) => task === next.task)?.request.session).toBeNull()
    expect((await stage.ask()).map(({ settings }) => settings?.RUNNER_SESSION)).toEqual(["d"])
  })

  it("are taken, given back and handed over by their own launch alone, which hands over once", async () => {
    const stage = openStage()
    await stage.keep(1)
    await stage.ask()
    const [a, b] = ["a", "b"].map((sid) => ({ sid, generation: 1, attempt: 1 })) as [WarmLaunch, WarmLaunch]
    const { id = "", task } = (await stage.pool.take(a, DEFINITION, options)) ?? {}
    expect(task).toBe("t1")
    expect(await stage.pool.take(b, DEFINITION, options)).toBeUndefined()
    await stage.pool.giveBack(id, b, options)
    expect(await stage.pool.handOver(id, b, Buffer.from("b's"), options)).toBeUndefined()
    expect(await stage.pool.handOver(id, a, Buffer.from("a's"), options)).toBe("t1")
    expect(await stage.pool.handOver(id, a, Buffer.from("others"), options)).toBe("t1")
    await stage.pool.giveBack(id, a, options)
    const [first] = stage.begun
    const told = await stage.pool.ask(stage.ticketOf(first?.request as TaskRequest), "ecs-t1", options)
    expect(told).toEqual({ now: "serve", sealed: Buffer.from("a's").toString("base64") })
  })

  it("leave the record of those who wait once they have a session, however many there were", async () => {
    const stage = openStage()
    const sizes: number[] = []
    for (let round = 0; round < 30; round++) {
      await stage.keep(2)
      await stage.ask()
      await stage.launch(`s${round}`)
      await stage.ask()
      const record = await stores.records.get({ partition: "warm-runners", sort: "all" })
      sizes.push(JSON.stringify(record?.value).length)
    }
    expect(Math.max(...sizes)).toBeLessThan(1500)
  })

  it("serve a session although its worker died before they left the record, and are stopped by nobody", async () => {
    let isCut = false
    const records: Records = {
      ...stores.records,
      async put(key, ...given) {
        if (isCut && key.partition === "warm-runners") throw new Error("The worker died.")
        return stores.records.put(key, ...given)
      },
    }
    const stage = openStage({ records })
    await stage.keep(1)
    await stage.ask()
    const launch = { sid: "a", generation: 1, attempt: 1 }
    const { id = "" } = (await stage.pool.take(launch, DEFINITION, options)) ?? {}
    isCut = true
    const cut = createWarmPool({ records, clock: stage.clock })
    await expect(cut.handOver(id, launch, Buffer.from("a's"), options)).rejects.toThrow("died")
    isCut = false
    const [first] = stage.begun
    const told = await stage.pool.ask(stage.ticketOf(first?.request as TaskRequest), "ecs-t1", options)
    expect(told).toMatchObject({ now: "serve" })
    stage.pass(21 * MINUTE_MS)
    await stage.keep(1)
    expect(first?.ended).toBe(false)
    expect(stage.alive()).toHaveLength(2)
  })

  it("are replaced only once they have stopped", async () => {
    const stage = openStage({ stopsAtOnce: false })
    await stage.keep(2)
    await stage.ask()
    for (let sweeps = 0; sweeps < 3; sweeps++) await stage.keep(2, "runner:2")
    expect(stage.begun).toHaveLength(2)
    await stage.ask()
    await stage.keep(2, "runner:2")
    expect(stage.alive().map(({ request }) => request.definition)).toEqual(["runner:2", "runner:2"])
  })

  it("are the same for a launch that is repeated, whoever repeats it, and another for its next attempt", async () => {
    const stage = openStage()
    await stage.keep(2)
    await stage.ask()
    const same = await Promise.all([1, 2, 3].map(() => stage.launch("a")))
    expect(new Set(same.map(({ task }) => task)).size).toBe(1)
    expect(await stage.launch("a")).toEqual(same[0])
    const next = await stage.launch("a", { attempt: 2 })
    expect(next.task).not.toBe(same[0]?.task)
    expect(stage.begun.filter(({ request }) => request.session !== null)).toEqual([])
  })

  it("stay out of a launch that was decided before they waited", async () => {
    const stage = openStage()
    const { task } = await stage.launch("a", { agent: "mock" })
    await stage.keep(1)
    await stage.ask()
    expect(await stage.launch("a")).toEqual({ task })
    expect((await stage.launch("b")).task).toBe("t2")
  })

  it("have a browser if the stage has an image with one, and serve every session", async () => {
    const stage = openStage({ images: { browser: "runner-browser:1" } })
    await stage.keep(2, "runner-browser:1")
    await stage.ask()
    const launched = await Promise.all(["browser", "mock"].map((agent) => stage.launch(`for ${agent}`, { agent })))
    expect(launched.map(({ task }) => task).sort()).toEqual(["t1", "t2"])
    expect(stage.begun.map(({ request }) => request.definition)).toEqual(["runner-browser:1", "runner-browser:1"])
  })

  it("answer one runner for each ticket: the first that asks", async () => {
    const stage = openStage()
    await stage.keep(1)
    const [first] = stage.begun
    if (!first) throw new Error("None begun.")
    const ticket = stage.ticketOf(first.request)
    expect(await stage.pool.ask(ticket, "ecs-other", options)).toEqual({ now: "wait" })
    expect(await stage.pool.ask(ticket, "ecs-t1", options)).toEqual({ now: "leave" })
    const guessed = { ...ticket, secret: warmTicket(new Uint8Array(32), ticket.id).secret }
    expect(await stage.pool.ask(guessed, "ecs-other", options)).toEqual({ now: "leave" })
    expect(await stage.pool.ask(warmTicket(MASTER, "unknown"), "ecs-other", options)).toEqual({ now: "leave" })
  })

  it("are not given to anybody once they have stopped", async () => {
    const stage = openStage()
    await stage.keep(2)
    await stage.ask()
    stage.end("t1")
    expect((await stage.launch("a")).task).toBe("t2")
    await stage.keep(2)
    expect(stage.alive()).toHaveLength(3)
  })

  it.each([
    ["fewer shall wait", 1, DEFINITION, 0],
    ["none shall wait", 0, DEFINITION, 0],
    ["there is another image", 2, "runner:2", 0],
    ["they have waited for a day", 2, DEFINITION, 25 * 60 * MINUTE_MS],
  ])("leave when %s, unless they have a session", async (_, count, definition, afterMs) => {
    const stage = openStage()
    await stage.keep(3)
    await stage.ask()
    const { task: busy } = await stage.launch("a")
    await stage.keep(2)
    await stage.ask()
    stage.pass(afterMs)
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      await stage.keep(count, definition)
      await stage.ask()
    }
    expect(stage.begun.find(({ task }) => task === busy)?.ended).toBe(false)
    const waiting = stage.alive().filter(({ task }) => task !== busy)
    expect(waiting.map(({ request }) => request.definition)).toEqual(Array.from({ length: count }, () => definition))
    expect(await stage.pool.isDue(count, options)).toBe(false)
  })

  it("leave when the launch that took one came to nothing, and are replaced", async () => {
    const stage = openStage()
    await stage.keep(1)
    await stage.ask()
    // The worker of the launch dies before it hands over the settings.
    const launch = { sid: "a", generation: 1, attempt: 1 }
    const taken = await stage.pool.take(launch, DEFINITION, options)
    expect(taken?.task).toBe("t1")
    await stage.keep(1)
    expect(stage.alive()).toHaveLength(1)
    stage.pass(21 * MINUTE_MS)
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      await stage.keep(1)
      await stage.ask()
    }
    expect(stage.alive().map(({ task }) => task)).toEqual(["t2"])
    expect(await stage.pool.handOver(taken?.id ?? "", launch, new Uint8Array(1), options)).toBeUndefined()
  })

  it("are asked for again where ECS has none or isn't heard, and by the same token", async () => {
    const fates: Fate[] = ["lost", "full", "refused", undefined]
    const stage = openStage({ fate: () => fates.shift() })
    for (let sweeps = 0; sweeps < 4; sweeps++) await stage.keep(1)
    expect(stage.begun).toHaveLength(1)
    expect(stage.reports).toMatchObject([{ message: "Not authorized" }])
    await stage.ask()
    await stage.keep(1)
    expect(stage.alive()).toHaveLength(1)
  })

  it("that begin after they were given up are told to go", async () => {
    const stage = openStage()
    await stage.keep(1)
    stage.pass(11 * MINUTE_MS)
    await stage.keep(1)
    await stage.keep(1)
    const [late] = stage.begun
    if (late) late.ended = false
    expect(await stage.ask()).toEqual([])
    expect(stage.alive().map(({ task }) => task)).not.toContain("t1")
  })

  it("are never more than shall wait, nor given twice, whatever is raced, lost or killed", async () => {
    let served = 0
    for (let seed = 1; seed <= cases({ usual: 4, deep: 60 }); seed++) {
      await stores.close()
      stores = await openStores()
      served += await playRaces(seed)
    }
    expect(served).toBeGreaterThan(4)
  })
})

/**
 * Races workers and sweeps on records and an ECS that lose answers. Then ends the faults and waits until the pool
 * settles. Resolves to the number of runners that served.
 */
async function playRaces(seed: number): Promise<number> {
  const random = seeded(seed)
  let isFair = false
  const records: Records = {
    ...stores.records,
    async put(...args) {
      const how = isFair ? 1 : random.next()
      if (how < 0.08) throw new AppError("storage_unavailable", "Not reached.")
      const version = await stores.records.put(...args)
      if (how < 0.16) throw new AppError("storage_unavailable", "Not heard.")
      // A retry conflicts with the record that its first attempt wrote.
      return how < 0.24 ? undefined : version
    },
  }
  const stage = openStage({
    records,
    fate: () => (isFair || random.next() > 0.2 ? undefined : "lost"),
    stopsAtOnce: seed % 2 === 0,
  })
  const most = 3
  const served = new Map<string, string>()

  async function look() {
    for (const { task, settings } of await stage.ask()) {
      const sid = settings?.RUNNER_SESSION ?? ""
      expect(served.get(task) ?? sid, `seed ${seed}: ${task} serves two sessions`).toBe(sid)
      served.set(task, sid)
    }
    const waiting = stage.alive().filter(({ task }) => !served.has(task))
    expect(waiting.length, `seed ${seed}`).toBeLessThanOrEqual(most)
  }

  for (let round = 0; round < 12; round++) {
    const count = random.between(1, most)
    const session = () => `s${random.between(1, 9)}`
    const acts = [
      () => stage.keep(count),
      () => stage.keep(count),
      () => stage.launch(session()),
      () => stage.launch(session(), { attempt: random.between(1, 2) }),
    ]
    // A call that rejects stands for a worker that died.
    await Promise.all(acts.map((act) => act().catch(() => {})))
    await look()
    const alive = stage.alive()
    const victim = alive[random.between(0, alive.length)]
    if (victim && random.next() < 0.3) stage.end(victim.task)
    stage.pass(random.between(0, 3) * MINUTE_MS)
  }
  isFair = true
  stage.pass(21 * MINUTE_MS)
  for (let sweeps = 0; sweeps < 4; sweeps++) {
    await stage.keep(2)
    await look()
  }
  expect(
    stage.alive().filter(({ task }) => !served.has(task)),
    `seed ${seed}`,
  ).toHaveLength(2)
  expect(stage.begun.filter(({ task, request }) => request.session !== null && served.has(task))).toEqual([])
  return served.size
}
