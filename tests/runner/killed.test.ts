import { createInboxSender } from "@switchyard/core/agents/runner/inbox"
import { claimRunner } from "@switchyard/core/agents/terminals/rules"
import type { LogEvent } from "@switchyard/core/events"
import { reviewerAccount } from "@switchyard/core/people/accounts/reviewer-account"
import { cancelRun, relaunchRun } from "@switchyard/core/work/runs/rules"
import { isEnded, runOf } from "@switchyard/core/work/runs/state"
import { describe, expect, it } from "vitest"
import { itDeep } from "../depth.ts"
import { seeded } from "../faults/random.ts"
import { cases, never } from "../settings.ts"
import { processesWith } from "./agents/workshop.ts"
import { openDepot } from "./runner-process.ts"

const signal = never

describe("a runner that is killed", () => {
  it.each(Array.from({ length: cases({ usual: 2, deep: 20 }) }, (_, seed) => seed))(
    "loses nothing that was appended, and a new one ends what it left and carries on (seed %i)",
    async (seed) => {
      await using depot = await openDepot()
      const random = seeded(seed)
      const runId = await depot.create({ duration_ms: 200, orphans: 1, files: { "a.txt": `${seed}\n` } })
      const first = depot.start()
      first.run(runId)
      // Kill the runner after this many events, or once the run has completed.
      const enough = random.between(1, 16)
      let before: LogEvent[] = []
      await expect
        .poll(
          async () => {
            before = await depot.events()
            return before.length >= enough || before.some(({ type }) => type === "run_completed")
          },
          { interval: 5 },
        )
        .toBe(true)
      first.child.kill("SIGKILL")
      await first.exited
      await depot.session.catchUp({ signal })
      const run = runOf(depot.session.state, runId)
      if (!run) throw new Error("The run is gone.")
      const second = depot.start()
      if (!isEnded(run)) {
        if (run.generation > 0) {
          await depot.session.decide(relaunchRun(run, "its executor was presumed dead", Date.now()), { signal })
        }
        second.run(runId, run.generation)
      }
      await second.claimed
      await depot.seen("run_completed")
      const after = await depot.events()
      expect(after.slice(0, before.length)).toEqual(before)
      const open = new Set<string>()
      for (const event of after) {
        if (event.type === "terminal_opened") open.add(event.pty)
        if (event.type === "terminal_closed") open.delete(event.pty)
      }
      expect([...open]).toEqual([])
      expect(await processesWith(`HOME=${depot.folder}`)).toEqual([])
      expect(second.stderr()).toBe("")
    },
  )

  it.each([
    ["the next one, if its agent goes on, which hears it once", { isOver: false, lost: 0 }],
    ["the next one, if its agent was cancelled: it is said that it wasn't told", { isOver: true, lost: 0 }],
    ["the third one, if the second dies before it has read it", { isOver: false, lost: 1 }],
    ["the fourth one, which says that the agent wasn't told", { isOver: true, lost: 2 }],
  ])("leaves what was typed for it, of which it said nothing, to %s", async (_, { isOver, lost }) => {
    await using depot = await openDepot()
    const runId = await depot.create({ duration_ms: 60_000 })
    const first = depot.start()
    first.run(runId)
    const { pty } = await depot.seen("terminal_opened")
    await depot.seen("agent_session_opened")
    const place = { sid: depot.sid, incarnation: 1, generation: await first.claimed, writer: "api" }
    const sender = createInboxSender(depot.deps, place)
    const type = (client_seq: number, text: string) => {
      const data = Buffer.from(text).toString("base64")
      return sender.send([{ type: "terminal_input" as const, pty, client: "tab", client_seq, data }], { signal })
    }
    await type(1, "heard\r")
    const told = async () =>
      (await depot.events()).flatMap((event) =>
        event.type === "user_message" && event.source !== "task" && event.source !== "continuation"
          ? [event.content]
          : [],
      )
    await expect.poll(told, { interval: 20 }).toEqual(["heard"])
    first.child.kill("SIGKILL")
    await first.exited
    // The server doesn't know yet that the runner died.
    await type(2, "un")
    await type(3, "heard\r")
    await type(3, "heard\r")
    await sender.send([{ type: "agent_message", content: "Nor this.", source: "ui" }], { signal })
    const toNext = Array.from({ length: lost }, (_, index) => `To ${index + 2}.`)
    for (const content of toNext) {
      await depot.session.decide(claimRunner("lost"), { signal })
      const { generation } = depot.session.state.runner
      const next = createInboxSender(depot.deps, { ...place, generation })
      await next.send([{ type: "agent_message", content, source: "ui" }], { signal })
    }

    await depot.session.catchUp({ signal })
    const run = runOf(depot.session.state, runId)
    if (!run) throw new Error("The run is gone.")
    await depot.session.decide(relaunchRun(run, "its executor was presumed dead", Date.now()), { signal })
    if (isOver) await depot.session.decide(cancelRun(runId, "a person said so", Date.now()), { signal })
    const second = depot.start()
    if (!isOver) second.run(runId, run.generation)
    await second.claimed
    const later = async () => {
      const events = await depot.events()
      const notices = events.flatMap((event) => (event.type === "agent_notice" ? [event.text] : []))
      return [(await told()).slice(1), notices.map((text) => text.replace(/.*: /, ""))]
    }
    const all = ["unheard", "Nor this.", ...toNext]
    await expect.poll(later, { interval: 50 }).toEqual(isOver ? [[], all] : [all, []])
  })

  itDeep("during a review is followed by one that reviews the work anew, and leaves no reviewer behind", async () => {
    await using depot = await openDepot()
    const reviewer = { cli: "mock" as const, account: null, model: null, reasoning: null }
    const verification = { allow_test_changes: false, max_attempts: 5, reviewer }
    const runId = await depot.create({ reviews: [{ hangs: true }] }, null, { verification })
    const fallbacks = { [reviewerAccount(null)]: { api_key: null, base_url: null, home: "reviewer" } }
    const first = depot.start()
    first.run(runId, 0, {}, fallbacks)
    const begun = await depot.seen("review_started")
    await depot.seen("terminal_opened", begun.seq)
    first.child.kill("SIGKILL")
    await first.exited
    await depot.session.catchUp({ signal })
    const run = runOf(depot.session.state, runId)
    if (!run) throw new Error("The run is gone.")
    await depot.session.decide(relaunchRun(run, "its executor was presumed dead", Date.now()), { signal })
    const second = depot.start()
    second.run(runId, run.generation, {}, fallbacks)
    const again = await depot.seen("review_started", begun.seq)
    expect(again).toMatchObject({ attempt_number: 1, commit: begun.commit, reviewer })
    await depot.seen("terminal_opened", again.seq)
    await depot.session.decide(cancelRun(runId, "a person said so", Date.now()), { signal })
    await depot.seen("run_cancelled")
    await expect.poll(() => processesWith(`HOME=${depot.folder}`)).toEqual([])
    expect((await depot.events()).filter(({ type }) => type === "verification_attempt")).toEqual([])
  })
})
