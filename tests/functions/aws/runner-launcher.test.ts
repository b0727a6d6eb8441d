import { DescribeTasksCommand, ECSClient, RunTaskCommand, StopTaskCommand } from "@aws-sdk/client-ecs"
import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { DEFAULT_PLAN } from "@switchyard/core/agents/hand-off/schema"
import { RunnerTicket } from "@switchyard/core/agents/runner/credentials-schema"
import { createLaunchMailbox, runnerKey } from "@switchyard/core/agents/runner/launch-mailbox"
import { createRunnerTickets, firstTicket } from "@switchyard/core/agents/runner/tickets"
import { requestCommand } from "@switchyard/core/agents/runner/worktree-command-rules"
import { claimRunner, parkRunner } from "@switchyard/core/agents/terminals/rules"
import type { LogEvent, NewEvent } from "@switchyard/core/events"
import { createNewId } from "@switchyard/core/ids"
import { logName } from "@switchyard/core/kernel/keys"
import { inOpenSession } from "@switchyard/core/kernel/rules"
import { openSessionLog, type Rule } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { CHECKER } from "@switchyard/core/work/gate/schema"
import { createRun } from "@switchyard/core/work/runs/admission"
import { cancelRun, claimRun, relaunchRun } from "@switchyard/core/work/runs/rules"
import { createTasks } from "@switchyard/functions/aws/ecs"
import type { EcsTarget } from "@switchyard/functions/aws/ecs-target"
import { imageWanted } from "@switchyard/functions/aws/image-wanted"
import { createRunnerLauncher, type RunnerLauncherDeps } from "@switchyard/functions/aws/runner-launcher"
import { createRunnerTasks } from "@switchyard/functions/aws/runner-tasks"
import { createStagePlaces } from "@switchyard/functions/aws/stage-places"
import { mockClient } from "aws-sdk-client-mock"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores, type Stores } from "../../fixtures/stores.ts"

const { signal } = new AbortController()
const ecs = mockClient(ECSClient)
const MASTER = new Uint8Array(32).fill(3)
const THROTTLED = Object.assign(new Error("Rate exceeded"), { name: "ThrottlingException" })
const REFUSED = Object.assign(new Error("Not authorized"), { name: "AccessDeniedException" })
const FULL = { tasks: [], failures: [{ reason: "Capacity is unavailable at this time." }] }
const REPOSITORY = "https://git.example/large.git"
const PROGRAM = { account: "b", model: null, reasoning: null }
const PLACE = { cluster: "c", task_definition: "runner:1", agent_definitions: {}, subnets: ["s"], security_group: "g" }

let stores: Stores
beforeEach(async () => {
  ecs.reset()
  stores = await openStores()
})
afterEach(() => stores.close())

/**
 * Opens a session with a queued agent run. Its clock advances when the code sleeps, and its ECS tasks follow the test's
 * script.
 */
async function open(
  sid = "one",
  place: EcsTarget = PLACE,
  limits = { total: 9, perOwner: 9 },
  changes: Partial<AgentInput> = {},
) {
  let elapsed = 0
  let began = 0
  /** Actions of the test, each run once `elapsed` reaches its time in milliseconds. */
  const plans: { task: string; at: number; act: () => unknown }[] = []
  const status = new Map<string, object>()
  const reports: unknown[] = []
  const lines: Record<string, unknown>[] = []
  const clock = {
    now: () => 1_000_000 + elapsed,
    monotonic: () => elapsed,
    async sleep(ms: number) {
      elapsed += ms
      for (const plan of plans.filter(({ at }) => at <= elapsed)) {
        plans.splice(plans.indexOf(plan), 1)
        await plan.act()
      }
    },
  }
  const base = {
    ...stores,
    clock,
    newId: createNewId(),
    fold: sessionFold,
    writer: "test",
    log: createLog({ ...stores, clock }),
  }
  const session = await openSessionLog(base, sid, { signal })
  const decide = (rule: Rule) => session.decide(rule, { signal })
  const plain = { account: "a", model: null, reasoning: null, repository: null, terminal: { rows: 24, cols: 80 } }
  const input = { ...plain, task: "Do it.", cli: "mock" as const, ...changes }
  const created = {
    run_id: "run_1",
    agent_id: "main",
    kind: "agent" as const,
    model: "mock",
    input,
    verify: changes.verification && true,
    ...(sid === "sized" && { repository: REPOSITORY }),
  }
  await decide(inOpenSession("s", createRun(created)))
  const deps: RunnerLauncherDeps = {
    ...base,
    ...{
      place,
      masterKey: MASTER,
      verboseErrors: false,
      allowedHosts: ["git.example", "10.0.0.0/8"],
      report: (error) => reports.push(error),
      logLine: (kind, fields) => lines.push({ kind, ...fields }),
    },
    limits,
    ownerOf: async () => "ada",
    openTasks: async () => createTasks(place, new ECSClient({ region: "eu-central-1" })),
    accountsOf: async () => ({ account: { api_key: "secret", base_url: null, home: "home" } }),
    agentsOf: (sid, options) => imageWanted(base, place, sid, options),
    containerSizeFor: async (owner, repository) =>
      owner === "ada" && repository === REPOSITORY ? "4x16x50" : undefined,
  }
  const launcher = createRunnerLauncher(deps)
  ecs.on(DescribeTasksCommand).callsFake(({ tasks: [task] }) => ({ tasks: [status.get(task)].filter(Boolean) }))
  ecs.on(StopTaskCommand).callsFake(({ task }) => {
    status.set(task, { lastStatus: "STOPPED", stoppedReason: "stopped" })
    return {}
  })
  const serveAs = async (task: string) => {
    await decide(claimRunner(`ecs-${task}`))
    await decide(claimRun("run_1", `ecs-${task}`, 0))
  }

  return {
    ...{ clock, launcher, decide, status, reports, lines, serveAs, session, created },
    tasks: createRunnerTasks(deps),
    elapsed: () => elapsed,
    start: (askedAt?: number) =>
      launcher.start({ sid, runId: "run_1", expectedGeneration: 0, kind: "agent" }, { askedAt, signal }),
    after: (ms: number, act: () => unknown) => plans.push({ task: "", at: elapsed + ms, act }),
    /** Sets RunTask's answers in order. The last answer repeats. A string is the id of a started task. */
    answers(...each: (string | Error | object)[]) {
      ecs.on(RunTaskCommand).callsFake(() => {
        const answer = each.length > 1 ? each.shift() : each[0]
        if (answer instanceof Error) throw answer
        if (typeof answer !== "string") return answer
        if (!status.has(answer)) status.set(answer, { lastStatus: "PENDING", desiredStatus: "RUNNING" })
        began = elapsed
        return { tasks: [{ taskArn: `arn:task/c/${answer}` }] }
      })
    },
    began: () => began,
    told: async () => {
      const events: LogEvent[] = await Array.fromAsync(base.log.read(logName(sid), 0, { signal }))
      return events.flatMap((event) =>
        event.type === "runner_awaited" ? [`${event.generation}.${event.attempt} ${event.phase}`] : [],
      )
    },
    events: () => Array.fromAsync(base.log.read(logName(sid), 0, { signal })),
    tokens: () => ecs.commandCalls(RunTaskCommand).map(({ args }) => args[0].input.clientToken),
    stopped: () => ecs.commandCalls(StopTaskCommand).map(({ args }) => args[0].input.task),
  }
}

describe("a run of an agent's in the cloud", () => {
  it("is given a runner that can open its note, and the log says how far that is", async () => {
    const world = await open()
    world.answers("t1")
    world.after(40_000, () => world.status.set("t1", { lastStatus: "RUNNING", desiredStatus: "RUNNING" }))
    world.after(50_000, () => world.serveAs("t1"))
    await world.start()
    expect(await world.told()).toEqual(["1.1 requested", "1.1 pending", "1.1 running"])
    expect(world.session.state.runs.byId.run_1).toMatchObject({ status: "running", executor: "ecs-t1" })
    expect(world.lines).toEqual([
      { kind: "launch", sid: "one", run_id: "run_1", result: "started", duration_ms: world.elapsed() },
    ])
    expect(world.elapsed()).toBeGreaterThanOrEqual(50_000)
    expect(world.stopped()).toEqual([])
    const { overrides } = ecs.commandCalls(RunTaskCommand)[0]?.args[0].input ?? {}
    const env = Object.fromEntries(
      (overrides?.containerOverrides?.[0]?.environment ?? []).map(({ name, value }) => [name, value]),
    )
    const ticket = RunnerTicket.parse(JSON.parse(String(env.RUNNER_TICKET)))
    expect(ticket).toEqual(firstTicket(MASTER, { sid: "one", generation: 1, attempt: 1 }))
    const tickets = createRunnerTickets({ records: stores.records, now: Date.now })
    expect(await tickets.exchange(ticket, "ecs-t1", { signal })).toBeDefined()
    expect(env).toEqual({
      RUNNER_TICKET: env.RUNNER_TICKET,
      ...{ RUNNER_SESSION: "one", EXPOSE_VERBOSE_ERRORS: "false", ALLOWED_HOSTS: "git.example,10.0.0.0/8" },
      RUNNER_KEY: Buffer.from(runnerKey(MASTER, "one")).toString("base64"),
    })
    const key = new Uint8Array(Buffer.from(env.RUNNER_KEY ?? "", "base64"))
    const notes = createLaunchMailbox({ records: stores.records, now: Date.now }, { sid: "one", key })
    expect(await Array.fromAsync(notes.drain({ signal }))).toMatchObject([
      { run_id: "run_1", expected_generation: 0, account: { api_key: "secret" } },
    ])
  })

  it("is asked for again when AWS is busy or full, the log says what keeps it, and then it is served", async () => {
    const world = await open()
    world.answers(THROTTLED, FULL, "t1")
    world.after(20_000, () => world.serveAs("t1"))
    await world.start()
    expect((await world.told()).slice(0, 3)).toEqual(["1.1 waiting", "1.2 waiting", "1.3 requested"])
    const reasons = (await world.events()).flatMap((event) => (event.type === "runner_awaited" ? event.reason : []))
    expect(reasons.slice(0, 2)).toEqual(["Rate exceeded", "Capacity is unavailable at this time."])
    expect(world.session.state.runs.byId.run_1?.status).toBe("running")
  })

  it.each([
    ["AWS has none", FULL, "Capacity is unavailable"],
    ["AWS is too busy", THROTTLED, "Rate exceeded"],
  ])("fails with the reason where %s for minutes", async (_why, answer, reason) => {
    const world = await open()
    world.answers(answer)
    await world.start()
    expect(world.tokens()).toHaveLength(6)
    expect(world.elapsed()).toBeLessThan(14 * 60_000)
    const end = (await world.events()).at(-1)
    expect(end).toMatchObject({ type: "run_failed", run_id: "run_1", message: expect.stringContaining(reason) })
    expect(world.lines).toMatchObject([{ result: "given_up", reason: expect.stringContaining(reason) }])
  })

  it("fails at once where AWS refuses, and only our log says why", async () => {
    const world = await open()
    world.answers(REFUSED)
    await world.start()
    expect(world.tokens()).toHaveLength(1)
    expect(world.reports).toEqual([REFUSED])
    const end = (await world.events()).at(-1)
    expect(end).toMatchObject({ type: "run_failed", message: expect.stringContaining("AWS refused") })
    expect(JSON.stringify(end)).not.toContain("authorized")
  })

  it("fails with the ends of what an earlier runner began, where none comes after it", async () => {
    const world = await open()
    await world.serveAs("lost")
    const size = { rows: 24, cols: 80 }
    const begun: NewEvent[] = [
      { type: "terminal_opened", pty: "pty_1", kind: "driver", title: "Mock", ...size },
      { type: "agent_turn_started", cli: "mock", model: null, pty: "pty_1", attempt: 1 },
      { type: "tool_call_started", tool_call_id: "lost", tool: "bash", name: "Bash" },
    ]
    await world.decide(() => begun.map((event) => ({ ...event, run_id: "run_1", agent_id: "main" })))
    const run = world.session.state.runs.byId.run_1
    if (!run) return expect.unreachable()
    await world.decide(relaunchRun(run, "its executor was presumed dead", 1_000_000))
    world.status.set("lost", { lastStatus: "STOPPED" })
    world.answers(REFUSED)
    await world.launcher.start({ sid: "one", runId: "run_1", expectedGeneration: 1, kind: "agent" }, { signal })
    expect((await world.events()).slice(-5)).toMatchObject([
      { type: "tool_call_finished", tool_call_id: "lost", exit_code: null, run_id: "run_1" },
      { type: "agent_turn_finished", outcome: { type: "failed", problem: "interrupted" }, run_id: "run_1" },
      { type: "terminal_output", pty: "pty_1", run_id: "run_1" },
      { type: "terminal_closed", pty: "pty_1", run_id: "run_1" },
      { type: "run_failed", run_id: "run_1" },
    ])
  })

  it("is given another task when one stops before it claims, and fails when they all do", async () => {
    const world = await open()
    const dies = { lastStatus: "STOPPED", stoppedReason: "CannotPullContainerError" }
    world.status.set("t1", dies)
    world.answers("t1", "t2")
    world.after(20_000, () => world.serveAs("t2"))
    await world.start()
    expect(await world.told()).toEqual(expect.arrayContaining(["1.1 lost", "1.2 requested"]))
    expect(new Set(world.tokens()).size).toBe(2)

    const other = await open("two")
    for (const task of ["a", "b", "c", "d", "e", "f"]) other.status.set(task, dies)
    other.answers("a", "b", "c", "d", "e", "f")
    await other.start()
    expect((await other.events()).at(-1)).toMatchObject({
      ...{ type: "run_failed", message: expect.stringContaining("CannotPullContainerError") },
    })
  })

  it("doesn't take a task for lost that ECS doesn't know yet, and stops one that does nothing", async () => {
    const world = await open()
    world.answers("t1", "t2")
    ecs.on(DescribeTasksCommand).callsFakeOnce(() => ({ tasks: [] }))
    world.after(170_000, () => world.serveAs("t2"))
    await world.start()
    expect(world.stopped()).toEqual(["t1"])
    expect((await world.told()).filter((told) => told.endsWith("lost"))).toEqual(["1.1 lost"])
    expect(world.began()).toBeGreaterThan(150_000)
  })

  it("is left to a runner that serves the session, and given another when that one is gone", async () => {
    const world = await open()
    await world.decide(claimRunner("ecs-old"))
    world.status.set("old", { lastStatus: "RUNNING", desiredStatus: "RUNNING" })
    world.after(3000, () => world.decide(claimRun("run_1", "ecs-old", 0)))
    await world.start()
    expect(world.tokens()).toEqual([])
    expect(await world.told()).toEqual([])

    const other = await open("two")
    await other.decide(claimRunner("ecs-dead"))
    other.answers("t1")
    other.after(10_000, () => other.serveAs("t1"))
    await other.start()
    expect((await other.told())[0]).toBe("2.1 requested")

    const third = await open("three")
    await third.decide(claimRunner("ecs-dying"))
    third.status.set("dying", { lastStatus: "RUNNING", desiredStatus: "RUNNING" })
    third.after(4000, () => third.status.set("dying", { lastStatus: "STOPPED" }))
    third.answers("t1")
    third.after(20_000, () => third.serveAs("t1"))
    await third.start()
    expect((await third.told())[0]).toBe("2.1 requested")
  })

  it("is given the next runner when the one that should have heard of it parks", async () => {
    const world = await open()
    await world.decide(claimRunner("ecs-old"))
    world.status.set("old", { lastStatus: "RUNNING", desiredStatus: "RUNNING" })
    world.after(2000, () => world.decide(parkRunner(1, "idle")))
    world.answers("t1")
    world.after(20_000, () => world.serveAs("t1"))
    await world.start()
    expect((await world.told())[0]).toBe("2.1 requested")
    expect(world.session.state.runs.byId.run_1?.executor).toBe("ecs-t1")
  })

  it("is told again where a runner took its note and was lost before it claimed the run", async () => {
    const world = await open()
    const notes = createLaunchMailbox(
      { records: stores.records, now: Date.now },
      { sid: "one", key: runnerKey(MASTER, "one") },
    )
    const drained = async () =>
      (await Array.fromAsync(notes.drain({ signal }))).map((note) => note.type === "run" && note.run_id)
    world.answers("t1", "t2")
    world.after(5000, async () => {
      await world.decide(claimRunner("ecs-t1"))
      expect(await drained()).toEqual(["run_1"])
      world.after(1000, () => world.status.set("t1", { lastStatus: "STOPPED" }))
      world.after(20_000, async () => {
        expect(await drained()).toEqual(["run_1"])
        await world.serveAs("t2")
      })
    })
    await world.start()
    expect(world.session.state.runs.byId.run_1?.executor).toBe("ecs-t2")
  })

  it("has its task stopped when it is cancelled before there is a runner", async () => {
    const world = await open()
    world.answers("t1")
    world.after(10_000, () => world.decide(cancelRun("run_1", "asked", 0)))
    await world.start()
    expect(world.stopped()).toEqual(["t1"])
    expect((await world.events()).at(-1)?.type).toBe("run_cancelled")
  })
})

describe("a run of an agent's on a stage whose places are taken", () => {
  const ONE = { total: 1, perOwner: 1 }

  /** Opens a second session while the first session's task t1 holds the only slot. */
  async function openBehindAnother() {
    const first = await open("one", PLACE, ONE)
    first.answers("t1")
    first.after(5000, () => first.serveAs("t1"))
    await first.start()
    const second = await open("two", PLACE, ONE)
    second.status.set("t1", { taskArn: "arn:task/c/t1", lastStatus: "RUNNING", desiredStatus: "RUNNING" })
    return second
  }

  const places = () =>
    createStagePlaces({ records: stores.records, clock: { now: () => 1_000_000, sleep: async () => {} }, limits: ONE })
  const held = async () => (await places().held({ signal })).map(({ sid, task }) => [sid, task])

  it("is left in the queue without a task or a worker that waits, and is told how many come before it", async () => {
    const second = await openBehindAnother()
    await second.start()
    expect(second.elapsed()).toBe(0)
    expect(second.lines).toMatchObject([{ kind: "launch", result: "queued" }])
    expect(await second.told()).toEqual(["1.1 waiting"])
    const [waiting] = (await second.events()).filter(({ type }) => type === "runner_awaited")
    expect(waiting).toMatchObject({ run_id: "run_1", reason: expect.stringContaining("0 sessions ahead") })
    const { runs } = await second.session.catchUp({ signal })
    expect(runs.byId.run_1).toMatchObject({ status: "queued", attempts: 0 })
  })

  it("begins once the place is its own, and those behind it hear that they have moved up", async () => {
    const second = await openBehindAnother()
    await second.start(1)
    const third = await open("three", PLACE, ONE)
    await third.start(2)
    second.answers("t2")
    second.after(5000, () => second.serveAs("t2"))
    const granted = await places().taskStopped("t1", { signal })
    expect(granted).toEqual(["two"])
    await second.launcher.follow(granted, { signal })
    expect((await second.session.catchUp({ signal })).runs.byId.run_1?.status).toBe("running")
    expect(await held()).toEqual([["two", "t2"]])
    const reasons = (await third.events()).flatMap((event) => (event.type === "runner_awaited" ? event.reason : []))
    expect(reasons).toEqual([expect.stringContaining("1 session ahead"), expect.stringContaining("0 sessions ahead")])
  })

  it("leaves the place to the next one where it was cancelled, and that one begins in the same worker", async () => {
    const second = await openBehindAnother()
    await second.start(1)
    const third = await open("three", PLACE, ONE)
    await third.start(2)
    await second.decide(cancelRun("run_1", "asked", 0))
    third.answers("t3")
    second.after(5000, () => third.serveAs("t3"))
    await second.launcher.follow(await places().taskStopped("t1", { signal }), { signal })
    expect((await third.session.catchUp({ signal })).runs.byId.run_1?.status).toBe("running")
    expect(await held()).toEqual([["three", "t3"]])
    expect(await Array.fromAsync(places().waiting({ signal }))).toEqual([])
  })

  it("begins at once, although a session that got a place meanwhile begins slowly in the same worker", async () => {
    const limits = { total: 2, perOwner: 2 }
    const places = createStagePlaces({
      records: stores.records,
      clock: { now: () => 1_000_000, sleep: async () => {} },
      limits,
    })
    await places.take({ sid: "one", owner: "ada", at: 1 }, { signal })
    await places.note("one", "t1", { signal })
    const third = await open("three", PLACE, limits)
    // While the second session takes a slot, it is granted another. Before it returns one of them, the third session
    // requests a slot.
    const { records } = stores
    let isGiven = false
    let isAsked = false
    stores.records = {
      ...records,
      async put(key, ...given) {
        if (key.partition === "runner-slots" && !isGiven) {
          isGiven = true
          expect(await places.taskStopped("t1", { signal })).toEqual(["two"])
        }
        return records.put(key, ...given)
      },
      async remove(key, ...given) {
        if (key.partition === "runner-queue" && isGiven && !isAsked) {
          isAsked = true
          await third.start(3)
        }
        return records.remove(key, ...given)
      },
    }
    const second = await open("two", PLACE, limits)
    const happened: string[] = []
    ecs.on(RunTaskCommand).callsFake(({ tags: [{ value }] }) => {
      happened.push(`${value} begins`)
      second.status.set(`t-${value}`, { lastStatus: "PENDING", desiredStatus: "RUNNING" })
      return { tasks: [{ taskArn: `arn:task/c/t-${value}` }] }
    })
    second.after(60_000, () => second.serveAs("t-two"))
    second.after(90_000, async () => {
      await third.serveAs("t-three")
      happened.push("three is served")
    })
    await second.start(2)
    expect(happened.slice(0, 2).toSorted()).toEqual(["three begins", "two begins"])
    expect(happened.slice(2)).toEqual(["three is served"])
  })

  it("takes the place with each other run of its session that waits", async () => {
    const second = await openBehindAnother()
    const another = { run_id: "run_2", agent_id: "another", worktree: "another", kind: "agent" as const, model: "mock" }
    await second.decide(createRun({ ...another, input: second.created.input }))
    await second.start()
    await second.decide(cancelRun("run_1", "asked", 0))
    second.answers("t2")
    second.after(5000, async () => {
      await second.decide(claimRunner("ecs-t2"))
      await second.decide(claimRun("run_2", "ecs-t2", 0))
    })
    await second.launcher.follow(await places().taskStopped("t1", { signal }), { signal })
    expect((await second.session.catchUp({ signal })).runs.byId.run_2?.status).toBe("running")
    expect(await held()).toEqual([["two", "t2"]])
  })

  it("asks the one that has it to leave once it is idle, also if that one begins later", async () => {
    const first = await open("one", PLACE, ONE)
    const notes = createLaunchMailbox(
      { records: stores.records, now: Date.now },
      { sid: "one", key: runnerKey(MASTER, "one") },
    )
    const yields = async () =>
      (await Array.fromAsync(notes.drain({ signal }))).flatMap((note) => (note.type === "yield" ? note.executor : []))
    first.answers("t1")
    const second = await open("two", PLACE, ONE)
    await places().take({ sid: "one", owner: "ada", at: 1 }, { signal })
    await second.start()
    expect(await yields()).toEqual([])
    first.after(5000, () => first.serveAs("t1"))
    await first.start()
    expect(await yields()).toEqual(["ecs-t1"])
    await second.start()
    expect(await yields()).toEqual([])
  })
})

describe("the token of a launch", () => {
  const firstOf = async (sid: string, generations = 0, place = PLACE) => {
    ecs.resetHistory()
    const world = await open(sid, place)
    for (let generation = 1; generation <= generations; generation++) {
      await world.decide(claimRunner("ecs-x"))
      await world.decide(parkRunner(generation, "idle"))
    }
    world.answers("t1")
    world.after(5000, () => world.serveAs("t1"))
    await world.start()
    return world.tokens()[0]
  }

  it("is the same for the same launch, and another for another session, generation or deployment", async () => {
    const token = await firstOf("a")
    expect(token).toMatch(/^[!-~]{1,64}$/)
    await stores.close()
    stores = await openStores()
    expect(await firstOf("a")).toBe(token)
    expect(new Set([token, await firstOf("b"), await firstOf("c", 1), await firstOf("d", 2)]).size).toBe(4)
    await stores.close()
    stores = await openStores()
    const generation = await firstOf("a", 1)
    await stores.close()
    stores = await openStores()
    expect([token, generation]).not.toContain(await firstOf("a", 0, { ...PLACE, task_definition: "runner:2" }))
    expect(generation).not.toBe(token)
  })
})

describe("the image of a runner", () => {
  const agent_definitions = { mock: "runner-mock:1", codex: "runner-codex:1", plain: "runner-plain:1" }
  const place = { ...PLACE, agent_definitions }
  const asked = () => ecs.commandCalls(RunTaskCommand).map(({ args }) => args[0].input)

  it("is that of the session's only agent", async () => {
    const world = await open("one", place)
    world.answers("t1")
    world.after(5000, () => world.serveAs("t1"))
    await world.start()
    expect(asked().map(({ taskDefinition }) => taskDefinition)).toEqual(["runner-mock:1"])
  })

  it.each([
    ["another task is open", { agent_id: "second", worktree: "second" }, {}],
    [
      "another agent reviews it",
      {},
      {
        verification: {
          ...{ allow_test_changes: true, max_attempts: 1 },
          reviewer: { ...PROGRAM, cli: "codex" as const },
        },
      },
    ],
    [
      "another agent may go on with it",
      {},
      { hand_off: { ...DEFAULT_PLAN, programs: [{ ...PROGRAM, cli: "codex" as const }] } },
    ],
  ])("has all agents where %s", async (_, beside, changes) => {
    const world = await open("one", place, undefined, changes)
    if ("agent_id" in beside) await world.decide(createRun({ ...world.created, run_id: "run_2", ...beside }))
    world.answers("t1")
    world.after(5000, () => world.serveAs("t1"))
    await world.start()
    expect(asked().map(({ taskDefinition }) => taskDefinition)).toEqual(["runner:1"])
  })

  it("has no agents where a session has no open task: for a command, and for files to save", async () => {
    const world = await open("one", place)
    await world.decide(cancelRun("run_1", "done", 0))
    await world.decide(requestCommand("cmd_1", { question: "status" } as never))
    world.answers("t1")
    world.after(5000, () => world.decide(claimRunner("ecs-t1")))
    await world.launcher.serve("one", { signal })
    expect(asked().map(({ taskDefinition }) => taskDefinition)).toEqual(["runner-plain:1"])
  })

  const browsers = { ...place, agent_definitions: { ...agent_definitions, browser: "runner-browser:1" } }
  const verification = { allow_test_changes: true, max_attempts: 1 }

  it.each([
    ["has a browser if the work is verified", { verification }, "runner-browser:1"],
    ["has no browser otherwise", {}, "runner-mock:1"],
  ])("%s", async (_, changes, definition) => {
    const world = await open("one", browsers, undefined, changes)
    world.answers("t1")
    world.after(5000, () => world.serveAs("t1"))
    await world.start()
    expect(asked().map(({ taskDefinition }) => taskDefinition)).toEqual([definition])
  })

  it("has a browser for a check of a session's files", async () => {
    const world = await open("one", browsers)
    await world.decide(cancelRun("run_1", "done", 0))
    const check = { run_id: "run_2", agent_id: CHECKER, kind: "check" as const, model: "none" }
    await world.decide(createRun({ ...check, input: { workspace_version: 1, manifest: null } }))
    world.answers("t1")
    world.after(5000, () => world.decide(claimRun("run_2", "ecs-t1", 0)))
    await world.launcher.start({ sid: "one", runId: "run_2", expectedGeneration: 0, kind: "check" }, { signal })
    expect(asked().map(({ taskDefinition }) => taskDefinition)).toEqual(["runner-browser:1"])
  })

  it("is that of the agent that logs in", async () => {
    const world = await open("one", place)
    await world.decide(cancelRun("run_1", "done", 0))
    const input = { account: "mine", agent: "codex" as const }
    await world.decide(createRun({ run_id: "run_2", agent_id: "main", kind: "login", model: "none", input }))
    world.answers("t1")
    world.after(5000, () => world.decide(claimRun("run_2", "ecs-t1", 0)))
    const run = { sid: "one", runId: "run_2", expectedGeneration: 0, kind: "login" as const }
    await world.launcher.start(run, { signal })
    expect(asked().map(({ taskDefinition }) => taskDefinition)).toEqual(["runner-codex:1"])
  })

  it("is that of the open task's agent where it is needed for something else", async () => {
    const world = await open("one", place)
    await world.decide(requestCommand("cmd_1", { question: "status" } as never))
    world.answers("t1")
    world.after(5000, () => world.decide(claimRunner("ecs-t1")))
    await world.launcher.serve("one", { signal })
    expect(asked().map(({ taskDefinition }) => taskDefinition)).toEqual(["runner-mock:1"])
  })

  it("has the size that the owner's settings name for the repository, also if they change meanwhile", async () => {
    const world = await open("sized", place)
    world.answers("t1")
    world.after(5000, () => world.serveAs("t1"))
    await world.start()
    const large = { cpu: "4096", memory: "16384", ephemeralStorage: { sizeInGiB: 50 } }
    expect(asked()[0]?.overrides).toMatchObject(large)
    const phases = (await world.events()).filter(({ type }) => type === "runner_awaited")
    expect(phases[0]).toMatchObject({ phase: "requested", size: "4x16x50" })
    // A repeated launch must request the same task.
    const attempt = { sid: "sized", generation: 1, attempt: 1, agent: undefined }
    await world.tasks.start({ ...attempt, size: "16x64" }, { signal })
    expect(asked().at(-1)?.overrides).toMatchObject(large)
    await world.tasks.start({ ...attempt, attempt: 2 }, { signal })
    expect(asked().at(-1)?.overrides).not.toHaveProperty("cpu")
  })

  it("is one for all who start the same attempt, whatever they know of the session", async () => {
    const world = await open("one", place)
    world.answers("t1")
    const attempt = { sid: "one", generation: 1, attempt: 1 }
    for (const agent of ["codex", undefined, "mock"]) await world.tasks.start({ ...attempt, agent }, { signal })
    await world.tasks.start({ ...attempt, attempt: 2, agent: undefined }, { signal })
    await world.tasks.start({ ...attempt, attempt: 3, agent: "vibe" }, { signal })
    const definitions = asked().map(({ taskDefinition }) => taskDefinition)
    expect(definitions).toEqual([...Array.from({ length: 3 }, () => "runner-codex:1"), "runner:1", "runner:1"])
    expect(new Set(asked().map(({ clientToken }) => clientToken)).size).toBe(3)
  })
})

describe("a session whose worktree is asked for", () => {
  it("is given a runner if it has none, and its questions are answered when none can be had", async () => {
    const world = await open()
    await world.decide(requestCommand("cmd_1", { question: "status" } as never))
    world.answers("t1")
    world.after(5000, () => world.decide(claimRunner("ecs-t1")))
    await world.launcher.serve("one", { signal })
    expect((await world.told())[0]).toBe("1.1 requested")

    world.status.set("t1", { lastStatus: "RUNNING", desiredStatus: "RUNNING" })
    await world.launcher.serve("one", { signal })
    expect(world.tokens()).toHaveLength(1)

    world.status.delete("t1")
    world.answers(FULL)
    await world.launcher.serve("one", { signal })
    expect((await world.events()).at(-1)).toMatchObject({
      ...{ type: "worktree_command_finished", command_id: "cmd_1" },
      error: { message: expect.stringContaining("Capacity") },
    })
  })

  it("is given one for files that a runner left unsaved, until too many were lost with them", async () => {
    const world = await open()
    await world.decide(cancelRun("run_1", "done", 0))
    await world.decide(() => [{ type: "workspace_save_progressed", saved: 0, total: 2000 }])
    for (const task of ["t1", "t2", "t3", "t4", "t5"]) {
      world.answers(task)
      world.after(5000, () => world.decide(claimRunner(`ecs-${task}`)))
      await world.launcher.serve("one", { signal })
      expect(world.session.state.runner.executor).toBe(`ecs-${task}`)
      const asked = world.tokens().length
      await world.launcher.serve("one", { signal })
      expect(world.tokens()).toHaveLength(asked)
      world.status.set(task, { lastStatus: "STOPPED" })
    }
    await world.launcher.serve("one", { signal })
    expect(world.tokens()).toHaveLength(5)
    expect((await world.events()).slice(-2)).toMatchObject([
      { type: "workspace_save_progressed", saved: 0, total: 0 },
      { type: "agent_notice", text: expect.stringContaining("couldn't be saved") },
    ])
  })

  it("is told that its files are not saved where no runner can be had for them", async () => {
    const world = await open()
    await world.decide(cancelRun("run_1", "done", 0))
    await world.decide(() => [{ type: "workspace_save_progressed", saved: 0, total: 2000 }])
    world.answers(FULL)
    await world.launcher.serve("one", { signal })
    expect((await world.events()).at(-1)).toMatchObject({ type: "agent_notice" })
  })
})
