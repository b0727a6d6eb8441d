import { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { createRunnerTickets, firstTicket } from "@switchyard/core/agents/runner/tickets"
import { claimRunner } from "@switchyard/core/agents/terminals/rules"
import { createNewId } from "@switchyard/core/ids"
import { inOpenSession } from "@switchyard/core/kernel/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { createAccounts } from "@switchyard/core/people/accounts/accounts"
import { deleteSession } from "@switchyard/core/sessions/rules"
import { sessionFold } from "@switchyard/core/state"
import { createDynamoClient, createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { createS3Blobs, createS3Client, createS3PresignClient } from "@switchyard/core/storage/s3"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import { createRun } from "@switchyard/core/work/runs/admission"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { created } from "../../core/kernel/folded.ts"
import { never as signal } from "../../settings.ts"
import { context, MASTER_KEY, startAws } from "./lambda.ts"

type Handler = typeof import("@switchyard/functions/aws/logins")["handler"]

const KEY = new Uint8Array(Buffer.from(MASTER_KEY, "base64"))
const options = { signal }

let aws: Awaited<ReturnType<typeof startAws>>
let handler: Handler
let said = ""
beforeAll(async () => {
  aws = await startAws()
  for (const [name, value] of Object.entries(aws.env)) vi.stubEnv(name, value)
  handler = (await import("@switchyard/functions/aws/logins")).handler
})
beforeEach(() => {
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    said += text
    return true
  })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  await aws.stop()
})

const login = (name: string) => ({ "login.json": JSON.stringify({ refresh_token: `${name}-canary-0123456789abcdef` }) })

function openStores() {
  const records = createDynamoRecords({ client: createDynamoClient(), table: aws.env.TABLE })
  const clients = { client: createS3Client(), presignClient: createS3PresignClient() }
  const blobs = createS3Blobs({ ...clients, bucket: aws.env.BUCKET })
  const newId = createNewId()
  const base = { records, blobs, clock: systemClock, newId, fold: sessionFold, writer: "test" }
  const accounts = createAccounts({ ...base, sealer: createSealer(KEY) })
  return { ...base, log: createLog(base), accounts, index: createRunIndex(records) }
}
type Deps = ReturnType<typeof openStores>

/** Opens a session with a run on the account. Returns the login requests of its runner. */
async function openRunner(
  deps: Deps,
  { sid, owner = "ada", account }: { sid: string; owner?: string; account: string },
) {
  const run = `run_${sid}`
  const session = await openSessionLog(deps, sid, options)
  const program = { cli: "mock" as const, account, model: null, reasoning: null }
  const input = AgentInput.parse({ task: "x", repository: null, terminal: { rows: 24, cols: 80 }, ...program })
  await deps.index.add({ run_id: run, owner, sid, session_id: sid, created_at: 1 }, options)
  await session.decide(inOpenSession(sid, createRun({ ...created(), run_id: run, kind: "agent", input })), options)
  const ticket = firstTicket(KEY, { sid, generation: 1, attempt: 1 })
  await createRunnerTickets({ records: deps.records, now: systemClock.now }).issue(ticket, options)
  const executor = `ecs-${sid}`
  await session.decide(claimRunner(executor), options)
  const about = { run_id: run, account, holder: `holder-of-${sid}` }
  const home = { cli: "mock" as const, worktree: "main", repository: "own" as const }
  return {
    session,
    take: (as: object = {}) => handler({ ticket, executor, ...as, login: { act: "take", ...about, home } }, context()),
    again: (act: "keep" | "release", id: string, refreshed?: object, holder = about.holder) =>
      handler({ ticket, executor, login: { act, ...about, holder, id, refreshed } }, context()),
  }
}

async function addAccount(deps: Deps, name: string, owner = "ada"): Promise<void> {
  const account = { name, provider: "mock" as const, login: { files: login("first"), consent: true } }
  await deps.accounts.create(owner, account, options)
}
const stored = async ({ accounts }: Deps, name: string) => (await accounts.login("ada", name, options))?.files

async function held(answer: Promise<Awaited<ReturnType<Handler>>>) {
  const told = await answer
  if (told.state !== "held") throw new Error(`It is ${told.state}.`)
  return told
}

describe("the login of an account, for a container", () => {
  it("is one runner's at a time, however many ask for it at once, and is stored as its program renewed it", async () => {
    const deps = openStores()
    await addAccount(deps, "raced")
    const runners = await Promise.all(
      [1, 2, 3, 4].map((n) => openRunner(deps, { sid: `raced-${n}`, account: "raced" })),
    )
    const answers = await Promise.all(runners.map((runner) => runner.take()))
    const at = answers.findIndex(({ state }) => state === "held")
    expect(answers.map(({ state }) => state).sort()).toEqual(["busy", "busy", "busy", "held"])
    const [winner, loser] = [runners[at], runners[(at + 1) % 4]]
    const { id, revision, files } = await held(Promise.resolve(answers[at] as Awaited<ReturnType<Handler>>))
    expect(files).toEqual(login("first"))
    const kept = await held(winner?.again("keep", id, { files: login("second"), revision }) as ReturnType<Handler>)
    expect(await stored(deps, "raced")).toEqual(login("second"))
    // An update based on an earlier revision is ignored.
    await winner?.again("keep", id, { files: login("stale"), revision })
    expect(await stored(deps, "raced")).toEqual(login("second"))
    await winner?.again("release", id, { files: login("third"), revision: kept.revision })
    expect((await held(loser?.take() as ReturnType<Handler>)).files).toEqual(login("third"))
  })

  it("is given to no runner but that of a run on the account, of its owner's", async () => {
    const deps = openStores()
    await addAccount(deps, "guarded")
    await addAccount(deps, "guarded", "bert")
    const own = await openRunner(deps, { sid: "guarded-own", account: "guarded" })
    const refused = { state: "refused" }
    const ticket = firstTicket(KEY, { sid: "guarded-own", generation: 1, attempt: 1 })
    expect(await own.take({ ticket: { ...ticket, secret: "guessed" } })).toEqual(refused)
    expect(await own.take({ ticket: { ...ticket, sid: "guarded-other" } })).toEqual(refused)
    expect(await own.take({ executor: "ecs-another" })).toEqual(refused)
    const other = await openRunner(deps, { sid: "guarded-other", account: "other" })
    expect(await other.take()).toEqual({ state: "gone" })
    const { id, revision } = await held(own.take())
    // The runner of another session, which knows the account's id.
    const renewed = { files: login("hostile"), revision }
    expect(await other.again("keep", id, renewed)).toEqual({ state: "gone" })
    expect(await other.again("keep", id, renewed, "holder-of-guarded-own")).toEqual({ state: "gone" })
    expect(await stored(deps, "guarded")).toEqual(login("first"))
  })

  it("is stored for its holder, also once another runner serves the session, or it was deleted", async () => {
    const deps = openStores()
    await addAccount(deps, "replaced")
    const runner = await openRunner(deps, { sid: "replaced", account: "replaced" })
    const { id, revision } = await held(runner.take())
    await runner.session.decide(claimRunner("ecs-newer"), options)
    expect(await runner.take()).toEqual({ state: "refused" })
    const kept = await held(runner.again("keep", id, { files: login("second"), revision }))
    await runner.session.decide(deleteSession("request"), options)
    await held(runner.again("release", id, { files: login("third"), revision: kept.revision }))
    expect(await stored(deps, "replaced")).toEqual(login("third"))
    expect(await runner.again("keep", id, { files: login("hostile"), revision: kept.revision }, "guessed")).toEqual({
      state: "refused",
    })
  })

  it("is told to nobody who reads what functions print", () => {
    expect(said).toContain('"act":"take"')
    expect(said).not.toContain("canary")
  })
})
