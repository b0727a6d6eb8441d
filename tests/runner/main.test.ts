import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { createInboxSender } from "@switchyard/core/agents/runner/inbox"
import { describeTask } from "@switchyard/core/agents/tasks/task-view"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { describeRun } from "@switchyard/core/sessions/run-view"
import { cancelRun, claimRun, parkRun } from "@switchyard/core/work/runs/rules"
import { runOf } from "@switchyard/core/work/runs/state"
import { describe, expect, it } from "vitest"
import { never } from "../settings.ts"
import { processesWith } from "./agents/workshop.ts"
import { openDepot } from "./runner-process.ts"

const signal = never

describe("a runner process", () => {
  it("executes a run, and commits its files to the session's workspace", async () => {
    await using depot = await openDepot()
    const runId = await depot.create({ files: { "src/a.txt": "hello\n" } })
    const runner = depot.start()
    runner.run(runId)
    await depot.seen("run_completed")
    await depot.session.catchUp({ signal })
    const workspace = await openWorkspace(depot.deps, depot.session, { signal })
    expect(await workspace.readText(workspacePath("src/a.txt"), { signal })).toBe("hello\n")
    expect(runner.stderr()).toBe("")
  })

  it("asks the server to look after its run and one that waited for the end of that", async () => {
    await using depot = await openDepot()
    const waiting = await depot.create({}, null, { agentId: "waiting" })
    const awaited = await depot.create({})
    const { decide } = depot.session
    await decide(claimRun(waiting, "another", 0), { signal })
    await decide(parkRun(waiting, 1, { reason: "It waits.", waitsFor: { run: awaited }, now: 0 }), { signal })
    const runner = depot.start()
    runner.run(awaited)
    await Promise.all([waiting, awaited].map(runner.reconciled))
    const resumed = await depot.seen("run_resumed")
    expect(resumed).toMatchObject({ run_id: waiting, seq: (await depot.seen("run_completed")).seq + 1 })
  })

  it("works in a worktree of a repository of this machine, and leaves its checkout alone", async () => {
    await using depot = await openDepot()
    const repository = join(depot.folder, "theirs")
    mkdirSync(repository)
    const git = (...args: string[]) => execFileSync("git", args, { cwd: repository, encoding: "utf8" })
    git("init", "-q", "-b", "main")
    writeFileSync(join(repository, "README.md"), "theirs\n")
    git("add", "-A")
    git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "begin")
    const runner = depot.start()
    runner.run(await depot.create({ files: { "new.txt": "new\n" } }, repository))
    await depot.seen("run_completed")
    expect(git("status", "--porcelain")).toBe("")
    expect(git("show", "--stat", "--format=%s", "--all")).toContain("new.txt")
    expect(runner.stderr()).toBe("")
  })

  it("completes with a warning where the agent never says what it did", async () => {
    await using depot = await openDepot()
    const runId = await depot.create({ summary: false, files: { "a.txt": "hello\n" } })
    depot.start().run(runId)
    const { warning } = await depot.seen("run_completed")
    expect(warning).toContain("without reporting its work")
    await depot.session.catchUp({ signal })
    const { sid, session } = depot
    const found = { sid, sessionId: "s", state: session.state, history: session.history, touchedAt: 0 }
    const run = runOf(session.state, runId)
    if (!run) throw new Error("The run is gone.")
    expect(await describeTask(depot.deps, found, run, { signal })).toMatchObject({ status: "completed", warning })
    const ref = { run_id: runId, owner: "anna", sid, session_id: "s", created_at: 0 }
    const usage = session.state.usage.runs[runId]
    expect(await describeRun({ ...depot.deps, launcher: {} }, { ref, run, usage }, { signal })).toMatchObject({
      status: "completed",
      warning,
    })
  })

  it("records when something was shown, on the clock of its events", async () => {
    await using depot = await openDepot()
    depot.start().run(await depot.create({ say: "Watch me." }))
    const { recording } = await depot.seen("terminal_closed")
    const blob = await depot.deps.blobs.get(recording ?? "", { signal })
    const cast = blob ? await text(blob) : ""
    const [{ began_at_ms }, ...shown] = cast
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const shownBy = (ts: string) =>
      shown.filter(([at]) => began_at_ms + Math.round(at * 1000) <= Date.parse(ts)).map(([, , words]) => words)
    expect(shownBy((await depot.seen("agent_session_opened")).ts).join("")).toContain("session ")
    expect(shownBy((await depot.seen("assistant_message")).ts).join("")).toContain("Watch me.")
  })

  it("goes on in the agent's own session with the next task of the same account", async () => {
    await using depot = await openDepot()
    const runner = depot.start()
    runner.run(await depot.create({}))
    const first = await depot.seen("run_completed")
    runner.run(await depot.create({}))
    await depot.seen("run_completed", first.seq)
    const opened = (await depot.events()).filter((event) => event.type === "agent_session_opened")
    expect(new Set(opened.map((event) => event.native_session_id)).size).toBe(1)
    expect(opened).toHaveLength(2)
  })

  it("passes on what is sent to its inbox, once", async () => {
    await using depot = await openDepot()
    const runner = depot.start()
    const generation = await Promise.all([depot.create({ duration_ms: 60_000 }), runner.claimed]).then(
      ([runId, claimed]) => {
        runner.run(runId)
        return claimed
      },
    )
    const { pty } = await depot.seen("terminal_opened")
    await depot.seen("agent_session_opened")
    const place = { sid: depot.sid, incarnation: 1, generation, writer: "api" }
    const [one, other] = [createInboxSender(depot.deps, place), createInboxSender(depot.deps, place)]
    const key = (client_seq: number, text: string) => {
      const data = Buffer.from(text).toString("base64")
      return { type: "terminal_input" as const, pty, client: "tab", client_seq, data }
    }
    await one.send([key(1, "more\r")], { signal })
    await other.send([key(1, "more\r"), key(2, "\u0003")], { signal })
    expect(await depot.seen("run_cancelled")).toMatchObject({ reason: "The agent was stopped." })
    const { outcome } = await depot.seen("agent_turn_finished")
    expect(outcome).toMatchObject({ type: "failed", problem: "cancelled" })
    const typed = (await depot.events()).filter((event) => event.type === "user_message" && event.source === "terminal")
    expect(typed).toHaveLength(1)
  })

  it("tells of a message that comes when its agent is done", async () => {
    await using depot = await openDepot()
    const runner = depot.start()
    runner.run(await depot.create({}))
    await depot.seen("run_completed")
    const place = { sid: depot.sid, incarnation: 1, generation: await runner.claimed, writer: "api" }
    const message = { type: "agent_message" as const, content: "And a title, please.", source: "ui" }
    await createInboxSender(depot.deps, place).send([message], { signal })
    const { text } = await depot.seen("agent_notice")
    expect(text).toBe("The agent finished before this message reached it: And a title, please.")
  })

  it("stops an agent whose run is cancelled, within seconds and whole", async () => {
    await using depot = await openDepot()
    const runId = await depot.create({ hangs: true, orphans: 2, stubborn: true })
    const runner = depot.start()
    runner.run(runId)
    await depot.seen("agent_session_opened")
    await depot.session.catchUp({ signal })
    await depot.session.decide(cancelRun(runId, "test", Date.now()), { signal })
    await depot.seen("run_cancelled")
    const types = (await depot.events()).map(({ type }) => type)
    expect(types.slice(types.indexOf("run_cancel_requested"))).toContain("terminal_closed")
    expect(await processesWith(`HOME=${depot.folder}`)).toEqual([])
    expect(runner.stderr()).toBe("")
  })

  it("parks when it is asked to stop, and hands over what it was at", async () => {
    await using depot = await openDepot()
    const runId = await depot.create({ hangs: true })
    const runner = depot.start()
    runner.run(runId)
    await depot.seen("agent_session_opened")
    runner.child.kill("SIGTERM")
    expect(await runner.exited).toEqual({ code: 0, signal: null })
    const types = (await depot.events()).map(({ type }) => type)
    expect(types).toContain("run_handed_over")
    expect(types.at(-1)).toBe("runner_parked")
    expect(await processesWith(`HOME=${depot.folder}`)).toEqual([])
  })

  it("parks when there was nothing to do, and when whoever started it is gone", async () => {
    await using depot = await openDepot()
    await depot.create({})
    const idle = depot.start({ idle_ms: 200 })
    expect(await idle.exited).toEqual({ code: 0, signal: null })
    const orphaned = depot.start()
    await orphaned.claimed
    orphaned.child.stdin?.end()
    expect(await orphaned.exited).toEqual({ code: 0, signal: null })
    const parked = (await depot.events()).filter(({ type }) => type === "runner_parked")
    expect(parked).toHaveLength(2)
  })

  it("is silent once another runner has claimed the session", async () => {
    await using depot = await openDepot()
    await depot.create({})
    const first = depot.start()
    expect(await first.claimed).toBe(1)
    const second = depot.start()
    expect(await second.claimed).toBe(2)
    expect((await first.exited).code).toBe(0)
    const parked = (await depot.events()).filter(({ type }) => type === "runner_parked")
    expect(parked).toEqual([])
  })
})
