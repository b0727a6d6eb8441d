import { once } from "node:events"
import { createInboxSender } from "@switchyard/core/agents/runner/inbox"
import { claimRunner } from "@switchyard/core/agents/terminals/rules"
import { AppError } from "@switchyard/core/errors"
import { cancelRun } from "@switchyard/core/work/runs/rules"
import { createDecisions } from "@switchyard/runner/agents/decisions"
import { describe, expect, it } from "vitest"
import { createAttachments } from "../../../packages/runner/src/agents/attachments.ts"
import type { Launch } from "../../../packages/runner/src/serving/launched-runs.ts"
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

  it("says that what is typed while it stops didn't reach anybody, or leaves it to the next, which says so once", async () => {
    await using depot = await openDepot()
    const { signal } = new AbortController()
    const inbox = { sid: depot.sid, incarnation: 1, writer: "api" }
    const send = (generation: number, content: string, agent_id = "main") =>
      createInboxSender(depot.deps, { ...inbox, generation }).send(
        [{ type: "agent_message", content, source: "ui", agent_id }],
        { signal },
      )
    const notices = async () =>
      (await depot.events()).flatMap((event) => (event.type === "agent_notice" ? [event.text.replace(/.*: /, "")] : []))
    const runId = await depot.create({})
    const stop = new AbortController()
    const serving = serve(depot, interrupted, stop.signal, {
      async save() {
        await send(1, "For one that goes on.")
        await send(1, "For one that doesn't.", "other")
      },
    })
    await depot.seen("runner_claimed")
    stop.abort()
    await serving
    expect(await notices()).toEqual(["For one that doesn't."])
    await expect(send(1, "More.")).rejects.toMatchObject({ code: "terminal_invalid" })

    await depot.session.catchUp({ signal })
    await depot.session.decide(cancelRun(runId, "a person said so", 0), { signal })
    const second = new AbortController()
    const next = serve(depot, interrupted, second.signal)
    await expect.poll(notices, { interval: 20 }).toEqual(["For one that doesn't.", "For one that goes on."])
    second.abort()
    await next
    const third = new AbortController()
    const last = serve(depot, interrupted, third.signal)
    await expect.poll(() => depot.events().then((all) => all.at(-1))).toMatchObject({ type: "runner_claimed" })
    third.abort()
    await last
    expect(await notices()).toHaveLength(2)
  })

  it("gives what is typed into a lost runner's turn to its agent, and says that a lost shell got nothing", async () => {
    await using depot = await openDepot()
    const { signal } = new AbortController()
    await depot.create({})
    await depot.session.decide(claimRunner("lost"), { signal })
    const opened = { type: "terminal_opened" as const, title: "", rows: 24, cols: 80 }
    const terminals = [
      { ...opened, pty: "pty_turn", kind: "driver" as const, agent_id: "gone" },
      { ...opened, pty: "pty_shell", kind: "shell" as const },
    ]
    await depot.session.decide(() => terminals, { signal })
    const place = { sid: depot.sid, incarnation: 1, writer: "api", generation: 2 }
    // Input for the old terminals that arrives as soon as the next runner has claimed the session. Its senders don't
    // know of the claim yet.
    const data = Buffer.from("typed\r").toString("base64")
    await createInboxSender(depot.deps, place).send(
      terminals.map(({ pty }) => ({ type: "terminal_input" as const, pty, client: "tab", client_seq: 1, data })),
      { signal },
    )
    const stop = new AbortController()
    const serving = serve(depot, interrupted, stop.signal)
    const notices = async () =>
      (await depot.events()).flatMap((event) => (event.type === "agent_notice" ? [[event.agent_id, event.text]] : []))
    await expect.poll(notices, { interval: 20 }).toEqual([
      ["gone", "The agent finished before this message reached it: typed"],
      ["main", "The program in a terminal exited before reading the last keys, so they were lost."],
    ])
    stop.abort()
    await serving
  })

  it("hands its run over if the next runner kills its programs before it hears of the claim", async () => {
    await using depot = await openDepot()
    const { signal } = new AbortController()
    const runId = await depot.create({})
    const ends = async () =>
      (await depot.events()).map(({ type }) => type).filter((type) => /^run_(?!c|started)/.test(type))
    const deaf = {
      ...depot.deps.log,
      tail: (_name: string, _seq: number, at: { signal: AbortSignal }) => onlyEnd(at.signal),
    }
    const account = { api_key: null, base_url: null, home: depot.folder }
    const serving = serve({ ...depot, deps: { ...depot.deps, log: deaf } }, interrupted, signal, {
      launches: [{ type: "run", run_id: runId, expected_generation: 0, account }],
      async agent() {
        await depot.session.catchUp({ signal })
        await depot.session.decide(claimRunner("another"), { signal })
        throw new AppError("git_error", "git reset was killed by SIGTERM.")
      },
    })
    await serving
    expect(await ends()).toEqual(["run_handed_over"])
  })

  it("ends with the error of a part that fails, once the others have ended", async () => {
    await using depot = await openDepot()
    await depot.create({})
    const broken = () => Promise.reject(new Error("A part is broken."))
    await expect(serve(depot, broken, new AbortController().signal)).rejects.toThrow("A part is broken.")
    expect(await reasons(depot)).toEqual(["the runner failed"])
  })
})

/** Behaves like a read of the store that is under way at the end. */
async function interrupted(ended: AbortSignal): Promise<void> {
  await once(ended, "abort")
  throw ended.reason
}

/** Ends without an event, like a log whose reader is not woken. */
async function* onlyEnd(ended: AbortSignal): AsyncGenerator<never> {
  await once(ended, "abort")
  yield* []
}

interface Parts {
  save?: () => Promise<void>
  /** Work of the agent's runs. */
  agent?: () => Promise<void>
  launches?: Launch[]
}

/** Serves the session with one part that the test provides. */
function serve(
  { deps, sid }: Depot,
  part: (ended: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  { save = async () => {}, agent = async () => {}, launches = [] }: Parts = {},
) {
  const { records } = deps
  async function* launched() {
    yield* launches
    await once(new EventTarget(), "launch")
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
        agent,
        train: async () => {},
        check: async () => {},
        shellCommand: async () => {},
        login: async () => {},
      }),
      createPreview: () => ({ busy: false, serve: async () => {} }),
      createWorktrees: () => ({
        of: () => {
          throw new Error("No run is executed here.")
        },
        ...{ busy: false, hasShells: false },
        save,
        serve: ({ signal: ended }) => part(ended),
      }),
    },
    { sid, idleMs: 600_000, launches: launched() },
    { signal },
  )
}

async function reasons(depot: Depot): Promise<string[]> {
  return (await depot.events()).flatMap((event) => (event.type === "runner_parked" ? [event.reason] : []))
}
