import { join } from "node:path"
import { requestCommand } from "@switchyard/core/agents/runner/worktree-command-rules"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import type { Rule } from "@switchyard/core/kernel/session-log"
import { cancelRun, claimRun, parkRun } from "@switchyard/core/work/runs/rules"
import { describe, expect, it } from "vitest"
import { itDeep } from "../depth.ts"
import { never } from "../settings.ts"
import { type Depot, openDepot, type Runner } from "./runner-process.ts"

const signal = never
const CONFINED = join(import.meta.dirname, "confined-runner.ts")

/** Starts a runner that can use only its session's records and blobs. It prints each refused access. */
const startConfined = (depot: Depot, options: Parameters<Depot["start"]>[0] = {}): Runner =>
  depot.start(options, { command: [process.execPath, CONFINED] })

const decide = (depot: Depot, rule: Rule) => depot.session.decide(rule, { signal })

describe("a runner that is confined to its session", () => {
  it("executes runs one after the other, wakes what waited for them, and parks", async () => {
    await using depot = await openDepot()
    const waiting = await depot.create({}, null, { agentId: "waiting" })
    const awaited = await depot.create({ files: { "a.txt": "hello\n" } })
    await decide(depot, claimRun(waiting, "another", 0))
    await decide(depot, parkRun(waiting, 1, { reason: "It waits.", waitsFor: { run: awaited }, now: 0 }))
    const runner = startConfined(depot, { idle_ms: 500 })
    runner.run(awaited)
    const { seq } = await depot.seen("run_completed")
    await Promise.all([waiting, awaited].map(runner.reconciled))
    runner.run(waiting, 1)
    await depot.seen("run_completed", seq)
    await depot.seen("runner_parked")
    expect(await runner.exited).toEqual({ code: 0, signal: null })
    expect(runner.stderr()).toBe("")
  })

  itDeep("hands over a run, and takes over one that another runner was at", async () => {
    await using depot = await openDepot()
    const runId = await depot.create({ hangs: true })
    const first = startConfined(depot)
    first.run(runId)
    await depot.seen("agent_session_opened")
    first.child.kill("SIGTERM")
    expect(await first.exited).toEqual({ code: 0, signal: null })
    await first.reconciled(runId)
    const second = startConfined(depot)
    second.run(runId, 1)
    const { seq } = await depot.seen("run_handed_over")
    await depot.seen("agent_session_opened", seq)
    await depot.session.catchUp({ signal })
    await decide(depot, cancelRun(runId, "enough", Date.now()))
    await depot.seen("run_cancelled")
    await second.reconciled(runId)
    expect(first.stderr() + second.stderr()).toBe("")
  })

  it("answers commands to its worktree, and saves very many files after its run", async () => {
    await using depot = await openDepot()
    const runner = startConfined(depot)
    runner.run(await depot.create({ generates: 1100 }))
    await depot.seen("run_completed")
    let saving = await depot.seen("workspace_save_progressed")
    while (saving.saved < saving.total) saving = await depot.seen("workspace_save_progressed", saving.seq)
    await depot.session.catchUp({ signal })
    await decide(depot, requestCommand("cmd_reset", { command: "reset" }, MAIN_WORKTREE))
    const { error } = await depot.seen("worktree_command_finished")
    expect(error).toBeNull()
    await depot.session.catchUp({ signal })
    expect(worktreeOf(depot.session.state).pending).toEqual({})
    expect(runner.stderr()).toBe("")
  })

  it("would be seen to leave it", async () => {
    await using depot = await openDepot()
    const runner = depot.start({}, { command: [process.execPath, CONFINED], env: { CONFINED_TO: "another" } })
    expect((await runner.exited).code).not.toBe(0)
    expect(runner.stderr()).toContain("Outside the session: ")
  })
})
