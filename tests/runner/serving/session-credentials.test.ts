import type { RunnerTicket } from "@switchyard/core/agents/runner/credentials-schema"
import { createSessionCredentials, type TradeTicket } from "@switchyard/runner/serving/session-credentials"
import { expect, it } from "vitest"

const HOUR = 3_600_000
const ticket: RunnerTicket = { sid: "one", generation: 1, attempt: 1, secret: "0" }

/** Opens credentials whose function returns keys for an hour, or the test's own answers first. */
function open() {
  let now = 1_700_000_000_000
  const asked: string[] = []
  const answers: (() => Awaited<ReturnType<TradeTicket>>)[] = []
  const trade: TradeTicket = async (request) => {
    asked.push(request.ticket.secret)
    const own = answers.shift()
    if (own) return own()
    const keys = { accessKeyId: `key-${asked.length}`, secretAccessKey: "s", sessionToken: "t" }
    const expiration = new Date(now + HOUR).toISOString()
    return { ...keys, expiration, ticket: { ...ticket, secret: String(asked.length) } }
  }
  const { provide } = createSessionCredentials({ trade, now: () => now }, { ticket, executor: "ecs-a" })
  return { provide, asked, answers, pass: (ms: number) => (now += ms) }
}

it("are traded for once, whoever asks for them at once, and anew five minutes before their end", async () => {
  const { provide, asked, pass } = open()
  const all = await Promise.all([provide(), provide(), provide()])
  expect(new Set(all.map(({ accessKeyId }) => accessKeyId))).toEqual(new Set(["key-1"]))
  pass(HOUR - 301_000)
  expect((await provide()).accessKeyId).toBe("key-1")
  pass(2000)
  expect((await provide()).accessKeyId).toBe("key-2")
  expect((await provide({ forceRefresh: true })).accessKeyId).toBe("key-3")
  expect(asked).toEqual(["0", "1", "2"])
})

it("last to their end while AWS doesn't answer, and are asked for again with the same ticket", async () => {
  const { provide, asked, answers, pass } = open()
  const fail = () => {
    throw new Error("Too many requests.")
  }
  answers.push(fail)
  await expect(provide()).rejects.toMatchObject({ code: "storage_unavailable" })
  await provide()
  pass(HOUR - 1000)
  answers.push(fail, fail)
  expect((await provide()).accessKeyId).toBe("key-2")
  pass(2000)
  await expect(provide()).rejects.toMatchObject({ code: "storage_unavailable" })
  expect((await provide()).accessKeyId).toBe("key-5")
  expect(asked).toEqual(["0", "0", "2", "2", "2"])
})

it("are none for a runner that was replaced, which says so", async () => {
  const { provide, answers, pass } = open()
  await provide()
  pass(HOUR)
  answers.push(() => null)
  await expect(provide()).rejects.toThrow(/another runner is serving its session/)
})
