import { existsSync } from "node:fs"
import { readFile, rm } from "node:fs/promises"
import { join, relative } from "node:path"
import { createNewId } from "@switchyard/core/ids"
import { createLog } from "@switchyard/core/log/log"
import { GRACE_MS } from "@switchyard/core/sessions/session-index"
import { sessionFold } from "@switchyard/core/state"
import { systemClock } from "@switchyard/core/time"
import { createRetire, freeDisk } from "@switchyard/functions/local/disk"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openSession } from "../functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { askGit } from "../runner/git/repositories.ts"
import { newRepositoryLike, newTemplate, type Template } from "../runner/git/worktrees/any-work.ts"
import { checkTarget } from "../runner/git/worktrees/check-target.ts"
import { tokensIn, tokensKept } from "../runner/git/worktrees/found-tokens.ts"
import { cases, never as signal } from "../settings.ts"
import { killRunner } from "./kill-runner.ts"
import { seeded } from "./random.ts"

const SEEDS = cases({ usual: 4, deep: 30 })
const ACT = join(import.meta.dirname, "../runner/git/worktrees/act.ts")
const DAY_MS = 86_400_000

let server: TestServer
let template: Template
beforeAll(async () => {
  server = await startServer()
  template = await newTemplate()
})
afterAll(async () => {
  await server.close()
  await template[Symbol.asyncDispose]()
})

type Session = Awaited<ReturnType<typeof openSession>>

/** Folders of the session's worktree and of its repository. */
interface Place {
  path: string
  repo: string
}

const ENDS = [
  ["is merged", merge],
  ["is deleted", remove],
  ["is cleaned up", cleanUp],
  ["lost its runner and its disk", lose],
] as const

describe("what an agent left in its worktree", () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => ({ seed, end: ENDS[seed % ENDS.length]?.[0] })))(
    "is reachable once its session $end, and the target has no marker and can be cloned (seed $seed)",
    async ({ seed }) => {
      const random = seeded(seed)
      const at = await newRepositoryLike(template, random)
      await using _ = at
      const session = await openSession(server, at.repo)
      const isTidy = random.next() < 0.5 ? "tidy" : "open"
      const command = ["node", ACT, `${seed}`, at.lib ?? "''", isTidy, join(at.folder, "acted")].join(" ")
      await session.task({ commands: [command] })
      const { path } = (await session.ask("GET", "?fresh=true")).body
      const before = new Set([...(await actedIn(at.folder)), ...(await tokensIn(path))])
      await ENDS[seed % ENDS.length]?.[1](session, { path, repo: at.repo })
      const rest = existsSync(path) ? await tokensIn(path) : new Set()
      const kept = await tokensKept(at.repo)
      expect([...before].filter((token) => !kept.has(token) && !rest.has(token))).toEqual([])
      await checkTarget(at.folder, at.repo, at.lib)
    },
  )
})

/**
 * Returns the contents at the end of the agent's last turn. Each turn does the same, and can overwrite earlier
 * contents.
 */
async function actedIn(folder: string): Promise<string[]> {
  return JSON.parse(await readFile(join(folder, "acted"), "utf8"))
}

async function merge({ ask }: Session): Promise<void> {
  const { status, body } = await ask("POST", "/merge", { json: { delete_worktree: true } })
  expect(
    status === 200 || ["worktree_conflict", "repository_error"].includes(body.error?.code),
    JSON.stringify(body),
  ).toBe(true)
}

async function remove({ ask }: Session, { path }: Place): Promise<void> {
  expect(await ask("DELETE")).toMatchObject({ status: 200, body: { deleted: true } })
  expect(existsSync(path)).toBe(false)
}

/** Deletes the session, and frees its disk after the grace period in which a runner could still write. */
async function cleanUp({ id }: Session, { path }: Place): Promise<void> {
  await killRunner(server, id)
  await server.call("DELETE", `/api/v1/sessions/${id}`)
  const clock = { ...systemClock, now: () => Date.now() + GRACE_MS }
  const shared = { ...server.stores, clock, newId: createNewId(), fold: sessionFold, writer: "test" }
  const reported: unknown[] = []
  const deps = {
    ...shared,
    log: createLog({ ...server.stores, clock: systemClock }),
    dataFolder: server.folder,
    isServed: () => false,
    retire: createRetire({ dataFolder: server.folder, retentionMs: 7 * DAY_MS }),
    report: (error: unknown) => void reported.push(error),
  }
  await freeDisk(deps, { signal })
  expect(reported).toEqual([])
  expect(existsSync(path)).toBe(false)
}

/** Kills the runner, removes its files, and expects another runner to restore the worktree. */
async function lose({ id, ask }: Session, { path, repo }: Place): Promise<void> {
  await killRunner(server, id)
  const [sid = ""] = relative(join(server.folder, "projects"), path).split("/")
  for (const folder of ["projects", "runner"]) await rm(join(server.folder, folder, sid), { recursive: true })
  await askGit(repo, ["worktree", "prune", "--expire=now"])
  expect((await ask("GET", "?fresh=true")).body).toMatchObject({ exists: true, path })
}
