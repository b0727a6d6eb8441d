import { createHash } from "node:crypto"
import { reportCollision } from "@switchyard/core/agents/runner/collision-rules"
import { isAppError } from "@switchyard/core/errors"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import type { NewId } from "@switchyard/core/ids"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { Log } from "@switchyard/core/log/log"
import type { Clock } from "@switchyard/core/time"
import { findCollisions } from "../git/saves/collisions.ts"
import type { ProjectDeps } from "../project/project-deps.ts"
import { readSaveRecord } from "../project/save-record.ts"
import { openedWorktree } from "../project/worktree-location.ts"

export interface RadarDeps {
  log: Log
  clock: Pick<Clock, "monotonic" | "sleep">
  newId: NewId
  projectOf: (worktree: string) => ProjectDeps
  report: (error: unknown) => void
}

/** Minimum time between two comparisons of the same pair. */
const EVERY_MS = 60_000

interface Look {
  saves: string
  at: number
}

/**
 * After a worktree was saved, finds the worktrees that would conflict with it, and reports changes. Errors are only
 * reported, and the next save tries again.
 */
export async function watchCollisions(
  deps: RadarDeps,
  session: SessionLog,
  { generation, signal }: { generation: number; signal: AbortSignal },
): Promise<void> {
  const { clock, newId, report } = deps
  const looks = new Map<string, Look>()
  let changed = Promise.withResolvers<void>()

  /**
   * Compares every pair of worktrees if one of them was saved since their last comparison. Returns the time in
   * milliseconds until the next pair may be compared, or undefined if no pair is waiting.
   */
  async function lookAround(): Promise<number | undefined> {
    const state = await session.catchUp({ signal })
    const names = Object.keys(state.worktrees.byName)
      .filter((name) => worktreeOf(state, name).exists && worktreeOf(state, name).savedSeq !== null)
      .sort()
    let nextMs: number | undefined
    for (const [at, one] of names.entries()) {
      for (const other of names.slice(at + 1)) {
        const waitMs = await lookAtPair(one, other)
        if (waitMs !== undefined) nextMs = Math.min(waitMs, nextMs ?? waitMs)
      }
    }
    return nextMs
  }

  async function lookAtPair(one: string, other: string): Promise<number | undefined> {
    const saves = [one, other].map((name) => worktreeOf(session.state, name).savedSeq).join(" ")
    const last = looks.get(`${one} ${other}`)
    if (last?.saves === saves) return undefined
    const waitMs = last ? last.at + EVERY_MS - clock.monotonic() : 0
    if (waitMs > 0) return waitMs
    looks.set(`${one} ${other}`, { saves, at: clock.monotonic() })
    try {
      await compare([one, other])
    } catch (error) {
      if (!signal.aborted && !isAppError(error, "run_superseded")) report(error)
    }
    return undefined
  }

  async function compare(worktrees: [string, string]): Promise<void> {
    const { sid } = session
    const { repository } = session.state.session
    const project = deps.projectOf(worktrees[0])
    const opened = await openedWorktree(project, { sid, repository, state: session.state }, { signal })
    const [one, other] = await Promise.all(worktrees.map((name) => tipOf(name)))
    if (!opened || !one || !other) return
    const files = await findCollisions(opened.worktree, [one, other], { signal })
    if (!files) return
    const digest = createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 16)
    const found = { worktrees, files, digest }
    await session.decide(
      reportCollision(generation, found, () => newId("msg")),
      { signal },
    )
  }

  async function tipOf(name: string): Promise<string | null> {
    const { savedSeq } = worktreeOf(session.state, name)
    if (savedSeq === null) return null
    return (await readSaveRecord(deps.projectOf(name), session.sid, savedSeq, { signal })).tip
  }

  async function listen(): Promise<void> {
    for await (const event of deps.log.tail(logName(session.sid), session.state.head, { signal })) {
      // A worktree's first save may come before the event that announces this worktree.
      if (event.type === "project_saved" || event.type === "worktree_changed") changed.resolve()
    }
  }

  async function look(): Promise<void> {
    while (!signal.aborted) {
      changed = Promise.withResolvers()
      const waitMs = await lookAround()
      const waiting = waitMs === undefined ? [] : [clock.sleep(waitMs, { signal })]
      await Promise.race([changed.promise, ...waiting])
    }
  }

  signal.addEventListener("abort", () => changed.resolve(), { once: true })
  await session.catchUp({ signal })
  await Promise.all([listen(), look()])
}
