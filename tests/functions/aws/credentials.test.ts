import { ArchiveAnswer, CredentialsAnswer, OwnerBudgetAnswer } from "@switchyard/core/agents/runner/credentials-schema"
import { createRunnerTickets, firstTicket } from "@switchyard/core/agents/runner/tickets"
import { claimRunner } from "@switchyard/core/agents/terminals/rules"
import { createNewId } from "@switchyard/core/ids"
import { openSession } from "@switchyard/core/kernel/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { budgetKey } from "@switchyard/core/people/budget/owner-budget"
import { noBudget } from "@switchyard/core/people/budget/schema"
import { sessionFold } from "@switchyard/core/state"
import { createDynamoClient, createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { createS3Blobs, createS3Client, createS3PresignClient } from "@switchyard/core/storage/s3"
import { systemClock } from "@switchyard/core/time"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { startSts } from "../../rehearsal/sts.ts"
import { never as signal } from "../../settings.ts"
import { context, startAws } from "./lambda.ts"

type Handler = typeof import("@switchyard/functions/aws/credentials")["handler"]

const MASTER = new Uint8Array(32).fill(9)
const ROLE = "arn:aws:iam::123456789012:role/session"

let aws: Awaited<ReturnType<typeof startAws>>
let sts: Awaited<ReturnType<typeof startSts>>
let handler: Handler
beforeAll(async () => {
  ;[aws, sts] = await Promise.all([startAws(), startSts()])
  const env = { ...aws.env, AWS_ENDPOINT_URL_STS: sts.endpoint, SESSION_ROLE: ROLE }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  // The function decrypts nothing, so it works without the master key.
  vi.stubEnv("MASTER_KEY", undefined)
  handler = (await import("@switchyard/functions/aws/credentials")).handler
})
afterAll(async () => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  sts.stop()
  await aws.stop()
})

function deps() {
  const records = createDynamoRecords({ client: createDynamoClient(), table: aws.env.TABLE })
  const clients = { client: createS3Client(), presignClient: createS3PresignClient() }
  const blobs = createS3Blobs({ ...clients, bucket: aws.env.BUCKET })
  const base = { records, blobs, clock: systemClock, newId: createNewId(), fold: sessionFold, writer: "test" }
  return { ...base, log: createLog(base) }
}

it("gives a runner credentials of its session's for its ticket, until another one serves the session", async () => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true)
  const base = deps()
  const session = await openSessionLog(base, "one", { signal })
  const ticket = firstTicket(MASTER, { sid: "one", generation: 1, attempt: 1 })
  const ask = async (given = ticket, executor = "ecs-a") =>
    CredentialsAnswer.parse(await handler({ ticket: given, executor }, context()))
  await createRunnerTickets({ records: base.records, now: systemClock.now }).issue(ticket, { signal })
  // The session doesn't exist yet.
  expect(await ask()).toEqual({ granted: null })
  await session.decide(openSession("one"), { signal })

  const { granted } = await ask()
  expect(granted).toMatchObject({ accessKeyId: "session-one", ticket: { sid: "one", generation: 1, attempt: 1 } })
  expect(sts.asked.at(-1)).toMatchObject({
    ...{ Action: "AssumeRole", RoleArn: ROLE, DurationSeconds: "3600" },
    ...{ "Tags.member.1.Key": "session", "Tags.member.1.Value": "one" },
  })
  const asked = sts.asked.length
  expect(await ask({ ...ticket, secret: "guessed" })).toEqual({ granted: null })
  expect(await ask({ ...ticket, sid: "two" })).toEqual({ granted: null })
  expect(await ask(granted?.ticket, "ecs-b")).toEqual({ granted: null })
  await session.decide(claimRunner("ecs-a"), { signal })
  const next = await ask(granted?.ticket)
  expect(next.granted).not.toBeNull()
  expect(await ask()).toEqual({ granted: null })
  await session.decide(claimRunner("ecs-b"), { signal })
  expect(await ask(next.granted?.ticket)).toEqual({ granted: null })
  expect(sts.asked).toHaveLength(asked + 1)
  await expect(handler({ ticket: { ...ticket, sid: "../x" }, executor: "a" }, context())).rejects.toThrow()
})

it("tells a runner about the budget of its run's owner, and nobody else about anybody's", async () => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true)
  const base = deps()
  const session = await openSessionLog(base, "three", { signal })
  await session.decide(openSession("three"), { signal })
  const ticket = firstTicket(MASTER, { sid: "three", generation: 1, attempt: 1 })
  await createRunnerTickets({ records: base.records, now: systemClock.now }).issue(ticket, { signal })
  const index = createRunIndex(base.records)
  for (const [run_id, sid] of [
    ["run_1", "three"],
    ["run_2", "four"],
  ] as const) {
    await index.add({ owner: "ada", run_id, sid, session_id: sid, created_at: systemClock.now() }, { signal })
  }
  const ask = (budget_of: string, given = ticket, executor = "ecs-a") =>
    handler({ ticket: given, executor, budget_of }, context())
  const set = (value: object) => base.records.put(budgetKey("ada"), { value: { ...noBudget, ...value } }, { signal })

  expect(await ask("run_1")).toEqual({ budget: { is_set: false, reached: null } })
  await set({ day_tokens: 5 })
  expect(await ask("run_1")).toEqual({ budget: { is_set: true, reached: null } })
  await set({ day_tokens: 0 })
  const { budget } = OwnerBudgetAnswer.parse(await ask("run_1"))
  expect(budget?.reached).toMatchObject({ day_tokens: 0, reached: { limit: "day_tokens" } })
  for (const refused of [
    ask("run_2"),
    ask("run_3"),
    ask("run_1", { ...ticket, secret: "guessed" }),
    ask("run_1", { ...ticket, sid: "four" }),
  ]) {
    expect(await refused).toEqual({ budget: null })
  }
})

it("stores archives for the run's owner and repository, whatever else a runner asks for", async () => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true)
  const base = deps()
  const index = createRunIndex(base.records)
  const tickets = createRunnerTickets({ records: base.records, now: systemClock.now })
  const name = "a".repeat(64)

  const app = "https://github.com/our/app"

  async function openOf(owner: string, sid: string, repository: string) {
    const session = await openSessionLog(base, sid, { signal })
    // A runner can change its session's log, so all sessions here claim the same repository.
    await session.decide(openSession(sid, { repository: app }), { signal })
    const ticket = firstTicket(MASTER, { sid, generation: 1, attempt: 1 })
    await tickets.issue(ticket, { signal })
    const ref = { owner, run_id: `run_${sid}`, sid, session_id: sid, created_at: systemClock.now(), repository }
    await index.add(ref, { signal })
    return async (act: string, { run_id = `run_${sid}`, given = ticket, ...more } = {}) => {
      const request = { ticket: given, executor: "ecs-a", archive: { act, run_id, name, ...more } }
      return ArchiveAnswer.parse(await handler(request, context())).archive.url
    }
  }

  const ada = await openOf("ada", "five", app)
  const [same, other] = [await openOf("ada", "six", app), await openOf("ada", "seven", `${app}s`)]
  const ben = await openOf("ben", "eight", app)
  await base.blobs.put(`s/five/1/prepared/${name}`, Buffer.from("poisoned"))
  expect(await ada("keep")).toBeNull()
  const url = await same("find")
  expect(await (await fetch(url ?? "")).text()).toBe("poisoned")
  expect([await other("find"), await ben("find")]).toEqual([null, null])
  // Another owner's run, a forged ticket, and names that aren't digests are rejected.
  expect(await ben("find", { run_id: "run_five" })).toBeNull()
  const forged = firstTicket(new Uint8Array(32), { sid: "five", generation: 1, attempt: 1 })
  expect(await ada("find", { given: forged })).toBeNull()
  for (const bad of ["../x", `${name}/../b`, "", "A".repeat(64)]) {
    await expect(ada("find", { name: bad } as object)).rejects.toThrow()
  }
})
