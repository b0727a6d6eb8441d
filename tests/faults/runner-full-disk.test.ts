import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { NO_DISK, needs } from "../needs.ts"
import { processesWith } from "../runner/agents/workshop.ts"
import { openDepot } from "../runner/runner-process.ts"

const disk = mkdtempSync(join(tmpdir(), "runner-full-disk-"))
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", disk]).status === 0
// Depots are created in the home folder.
if (mounted) process.env.HOME = disk
afterAll(() => {
  if (mounted) spawnSync("umount", [disk])
  rmSync(disk, { recursive: true, force: true })
})

/** Fills all free space. */
function fill(file: string): void {
  const handle = openSync(file, "w")
  try {
    for (const size of [1 << 20, 1 << 12, 1 << 8]) {
      const piece = Buffer.alloc(size)
      try {
        while (writeSync(handle, piece) === size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
      }
    }
  } finally {
    closeSync(handle)
  }
}

describe("a runner whose disk is full", needs(mounted ? undefined : NO_DISK), () => {
  it("waits for room with what it has to say, says what became of the task, and does the next", async () => {
    await using depot = await openDepot()
    const runner = depot.start()
    const runId = await depot.create({ duration_ms: 20_000, files: { "a.txt": "x".repeat(100_000) } })
    runner.run(runId)
    await depot.seen("agent_session_opened")
    const before = await depot.events()
    fill(join(disk, "filler"))
    // The agent is ended, so that it fills no more of the disk. Its output can't be recorded yet.
    await expect.poll(() => processesWith(`HOME=${depot.folder}`)).toEqual([])
    expect((await depot.events()).some(({ type }) => type === "run_completed" || type === "run_failed")).toBe(false)

    rmSync(join(disk, "filler"))
    const end = await Promise.race([depot.seen("run_completed"), depot.seen("run_failed")])
    const next = await depot.create({ files: { "b.txt": "b\n" } })
    runner.run(next)
    await depot.seen("run_completed", end.seq)

    const events = await depot.events()
    expect(events.slice(0, before.length)).toEqual(before)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    const ends = events.filter(({ type }) => /^run_(completed|failed|cancelled)$/.test(type))
    expect(ends.map(({ run_id }) => run_id)).toEqual([runId, next])
    const said = events.filter((event) => event.run_id === runId && event.type === "assistant_message")
    expect(ends[0]).toMatchObject({ type: "run_failed", message: expect.stringContaining("the disk was nearly full") })
    const steps = [...JSON.stringify(said).matchAll(/Step (\d+) of 10/g)].map(([, step]) => Number(step))
    expect(steps).toEqual(steps.map((_, index) => index + 1))
    expect(events.slice(before.length).some(({ type }) => type === "terminal_closed")).toBe(true)
    expect(runner.child.exitCode).toBe(null)
    runner.child.kill("SIGTERM")
    expect(await runner.exited).toMatchObject({ code: 0 })
  })
  it("doesn't give up a task that it can't begin yet", async () => {
    await using depot = await openDepot()
    const runId = await depot.create({ files: { "a.txt": "a" } })
    fill(join(disk, "filler"))
    const runner = depot.start()
    runner.run(runId)
    await expect.poll(() => runner.stderr()).toContain("storage_unavailable")

    rmSync(join(disk, "filler"))
    const end = await Promise.race([depot.seen("run_completed"), runner.exited])
    expect(end).toMatchObject({ type: "run_completed", run_id: runId })
    runner.child.kill("SIGTERM")
    expect(await runner.exited).toMatchObject({ code: 0 })
  })
})
