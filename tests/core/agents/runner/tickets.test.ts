import { RunnerTicket } from "@switchyard/core/agents/runner/credentials-schema"
import { createRunnerTickets, firstTicket, mayServe } from "@switchyard/core/agents/runner/tickets"
import { claimRunner, parkRunner } from "@switchyard/core/agents/terminals/rules"
import { createNewId } from "@switchyard/core/ids"
import { runnerTicketKey } from "@switchyard/core/kernel/keys"
import { openSession } from "@switchyard/core/kernel/rules"
import { openSessionLog, type Rule } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { systemClock } from "@switchyard/core/time"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores, type Stores } from "../../../fixtures/stores.ts"
import { never as signal } from "../../../settings.ts"

const MASTER = new Uint8Array(32).fill(7)
const LAUNCH = { sid: "one", generation: 1, attempt: 1 }
const first = firstTicket(MASTER, LAUNCH)

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

const tickets = () => createRunnerTickets({ records: stores.records, now: () => 1_700_000_000_000 })
const exchange = (ticket: RunnerTicket | undefined, executor = "ecs-a") =>
  tickets().exchange(RunnerTicket.parse(ticket), executor, { signal })

describe("a runner's ticket", () => {
  it("is the same for a launch that is repeated, and another for each session, generation and attempt", () => {
    expect(firstTicket(MASTER, LAUNCH)).toEqual(first)
    const others = [{ sid: "two" }, { generation: 2 }, { attempt: 2 }].map((other) => ({ ...LAUNCH, ...other }))
    const secrets = [first, ...others.map((other) => firstTicket(MASTER, other))].map(({ secret }) => secret)
    expect(new Set([...secrets, firstTicket(new Uint8Array(32), LAUNCH).secret]).size).toBe(5)
  })

  it("is good as long as the next one isn't used, and never again", async () => {
    await tickets().issue(first, { signal })
    const lost = await exchange(first)
    const second = await exchange(first)
    const third = await exchange(second)
    expect(new Set([first, lost, second, third].map((ticket) => ticket?.secret)).size).toBe(4)
    for (const old of [first, lost]) expect(await exchange(old)).toBeUndefined()
    expect(await exchange(second)).toBeDefined()
    // Repeating the launch doesn't make any of these tickets valid again.
    await tickets().issue(first, { signal })
    expect(await exchange(first)).toBeUndefined()
  })

  it("is for the agent that it was issued for first, also once it was used", async () => {
    const issued = { agent: "claude", warm: null, size: null }
    expect(await tickets().issue(first, { agent: "claude", signal })).toEqual(issued)
    expect(await tickets().issue(first, { agent: "codex", warm: "wrm_1", signal })).toEqual(issued)
    expect(await exchange(first)).toBeDefined()
    expect(await tickets().issue(first, { signal })).toEqual(issued)
    const other = firstTicket(MASTER, { ...LAUNCH, attempt: 2 })
    expect([
      await tickets().issue(other, { signal }),
      await tickets().issue(other, { agent: "codex", signal }),
    ]).toEqual([
      { agent: null, warm: null, size: null },
      { agent: null, warm: null, size: null },
    ])
  })

  it("is good for the executor that used it first alone, and for its own launch", async () => {
    expect(await exchange(first)).toBeUndefined()
    await tickets().issue(first, { signal })
    const next = await exchange(first, "ecs-a")
    expect(await exchange(next, "ecs-b")).toBeUndefined()
    for (const other of [{ sid: "two" }, { generation: 2 }, { attempt: 2 }, { secret: "x" }]) {
      expect(await exchange({ ...first, ...other })).toBeUndefined()
    }
    expect(await exchange(next, "ecs-a")).toBeDefined()
  })

  it("gives one ticket at a time, however many ask at once, and stands where no runner may write", async () => {
    await tickets().issue(first, { signal })
    const all = await Promise.all(Array.from({ length: 3 }, () => exchange(first)))
    const good = await Promise.all(all.filter((ticket) => ticket !== undefined).map((ticket) => exchange(ticket)))
    expect(good.filter((ticket) => ticket !== undefined)).toHaveLength(1)
    const { partition } = runnerTicketKey(first)
    expect(partition.startsWith("s/")).toBe(false)
    const stored = JSON.stringify(await Array.fromAsync(stores.records.range(partition)))
    for (const ticket of [first, ...all]) expect(stored).not.toContain(ticket?.secret ?? "undefined")
  })
})

describe("a runner that was launched", () => {
  const deps = () => {
    const base = { ...stores, clock: systemClock, newId: createNewId(), fold: sessionFold, writer: "test" }
    return { ...base, log: createLog(base) }
  }

  it("may serve until another has claimed the session, and not after the session's end", async () => {
    const session = await openSessionLog(deps(), "one", { signal })
    const decide = (rule: Rule) => session.decide(rule, { signal })
    const may = (executor: string) => mayServe(session.state, first, executor)
    expect(may("ecs-a")).toBe(false)
    await decide(openSession("one"))
    expect([may("ecs-a"), may("ecs-b")]).toEqual([true, true])
    await decide(claimRunner("ecs-a"))
    expect([may("ecs-a"), may("ecs-b")]).toEqual([true, false])
    await decide(parkRunner(1, "idle"))
    expect(may("ecs-a")).toBe(false)
    await decide(claimRunner("ecs-a"))
    await decide(parkRunner(2, "idle", { standby: true }))
    expect([may("ecs-a"), may("ecs-b")]).toEqual([true, false])
    await decide(claimRunner("ecs-b"))
    expect([may("ecs-a"), may("ecs-b")]).toEqual([false, true])
    await decide(claimRunner("ecs-a"))
    await decide((state) => [{ type: "session_deleted", incarnation: state.session.incarnation }] as never)
    expect(may("ecs-a")).toBe(false)
  })
})
