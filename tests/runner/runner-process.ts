import { type ChildProcess, spawn } from "node:child_process"
import { mkdir, mkdtemp } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { CliId } from "@switchyard/core/agents/clis/clis"
import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import type { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { FromRunner, type ToRunner } from "@switchyard/core/agents/runner/messages"
import type { EventType, LogEvent } from "@switchyard/core/events"
import { namedWorktree } from "@switchyard/core/files/worktrees/names-schema"
import { createNewId, type NewId } from "@switchyard/core/ids"
import type { SessionFold } from "@switchyard/core/kernel/fold"
import { logName } from "@switchyard/core/kernel/keys"
import { inOpenSession } from "@switchyard/core/kernel/rules"
import { openSessionLog, type SessionLog } from "@switchyard/core/kernel/session-log"
import { createLog, type Log } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { createFileBlobs } from "@switchyard/core/storage/files"
import type { Records } from "@switchyard/core/storage/records"
import { createSqliteRecords } from "@switchyard/core/storage/sqlite"
import { type Clock, systemClock } from "@switchyard/core/time"
import { createRun } from "@switchyard/core/work/runs/admission"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import type { VerificationPlan } from "@switchyard/core/work/verification/schema"
import { removeFolder } from "../remove-folder.ts"
import { never } from "../settings.ts"

const MAIN = join(import.meta.dirname, "../../packages/runner/src/main.mjs")

export interface Depot extends AsyncDisposable {
  folder: string
  sid: string
  deps: { records: Records; blobs: Blobs; log: Log; clock: Clock; newId: NewId; fold: SessionFold; writer: string }
  session: SessionLog
  /**
   * Creates a run for an agent, by default the mock agent, in the worktree named after it. Resolves to the run's id.
   */
  create(knobs: object, repository?: string | null, about?: About): Promise<string>
  start(options?: Partial<Extract<ToRunner, { type: "start" }>>, how?: Start): Runner
  events(): Promise<LogEvent[]>
  /** Resolves to the first event of this type after `since`. */
  seen<T extends EventType>(type: T, since?: number): Promise<Extract<LogEvent, { type: T }>>
}

interface About {
  cli?: CliId
  model?: string | null
  agentId?: string
  verification?: VerificationPlan
  consent?: boolean
  consents?: string[]
  mode?: PermissionMode
  setup?: AgentInput["setup"]
}

/** Options for starting a runner differently than the local server does. */
export interface Start {
  command?: string[]
  /** Command that wraps the runner's command, for example `setpriv` with its options. */
  within?: string[]
  /** Added to the test's own environment. */
  env?: Record<string, string>
}

type RunMessage = Extract<ToRunner, { type: "run" }>

export interface Runner {
  child: ChildProcess
  /** Tells the runner to execute a run, by default on an account without a key. */
  run(
    runId: string,
    expectedGeneration?: number,
    account?: Partial<RunMessage["account"]>,
    fallbacks?: RunMessage["fallbacks"],
  ): void
  claimed: Promise<number>
  /** Resolves once the runner has asked the server to reconcile this run. */
  reconciled(runId: string): Promise<void>
  exited: Promise<{ code: number | null; signal: string | null }>
  stderr(): string
}

/**
 * Opens a data folder like the local server's, or another session in the data folder of `beside`. Its runners start
 * like the local server's.
 */
export async function openDepot({
  parent = join(homedir(), ".cache"),
  beside,
}: {
  parent?: string
  beside?: Depot
} = {}): Promise<Depot> {
  await mkdir(parent, { recursive: true })
  const folder = beside?.folder ?? (await mkdtemp(join(parent, "switchyard-depot-")))
  const records = createSqliteRecords({ file: join(folder, "records.sqlite") })
  const options = { directory: join(folder, "blobs"), publicUrl: "http://127.0.0.1", signingKey: new Uint8Array(32) }
  const blobs = createFileBlobs(options)
  const clock = systemClock
  const deps = {
    records,
    blobs,
    clock,
    newId: createNewId(),
    fold: sessionFold,
    writer: "test",
    log: createLog({ records, blobs, clock }),
  }
  const sid = beside ? "123456789abcdef0123456789abcdef0" : "0123456789abcdef0123456789abcdef"
  const signal = never
  const session = await openSessionLog(deps, sid, { signal })
  const runners = new Set<Runner>()

  return {
    ...{ folder, sid, deps, session },
    async create(knobs, repository = null, { cli = "mock", agentId = "main", ...more } = {}) {
      const runId = deps.newId("run")
      const plain = { account: "tester", model: null, reasoning: null, repository, terminal: { rows: 24, cols: 80 } }
      const input = { ...plain, task: `Try it. mock: ${JSON.stringify(knobs)}`, cli, ...more }
      const about = { run_id: runId, agent_id: agentId, ...namedWorktree(agentId) }
      const created = { ...about, kind: "agent" as const, model: "mock", input }
      const ref = { run_id: runId, owner: "anna", sid, session_id: "s", created_at: 0 }
      await createRunIndex(records).add(ref, { signal })
      const opened = repository === null ? {} : { repository }
      await session.decide(inOpenSession("s", createRun(created), opened), { signal })
      return runId
    },
    start(changes, { command = [process.execPath, MAIN], within = [], env = {} } = {}) {
      const [file = "", ...args] = [...within, ...command]
      const child = spawn(file, args, { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env } })
      let errors = ""
      child.stderr?.on("data", (chunk) => {
        errors += chunk
      })
      child.stdin?.on("error", () => {})
      const send = (message: object) => child.stdin?.write(`${JSON.stringify(message)}\n`)
      send({ type: "start", sid, data_folder: folder, local: true, idle_ms: 60_000, ...changes })
      const claim = Promise.withResolvers<number>()
      const moved = new Map<string, PromiseWithResolvers<void>>()
      const movedOf = (runId: string) => {
        const known = moved.get(runId) ?? Promise.withResolvers<void>()
        moved.set(runId, known)
        return known
      }
      createInterface({ input: child.stdout ?? process.stdin }).on("line", (line) => {
        const message = FromRunner.parse(JSON.parse(line))
        if (message.type === "claimed") claim.resolve(message.generation)
        if (message.type === "reconcile") movedOf(message.run_id).resolve()
      })
      const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
        child.on("exit", (code, name) => resolve({ code, signal: name }))
      })
      const account = { api_key: null, base_url: null, home: "anna-tester" }
      const runner: Runner = {
        ...{ child, claimed: claim.promise, exited },
        reconciled: (runId) => movedOf(runId).promise,
        run: (run_id, expected_generation = 0, changes = {}, fallbacks) =>
          send({ type: "run", run_id, expected_generation, account: { ...account, ...changes }, fallbacks }),
        stderr: () => errors,
      }
      runners.add(runner)
      return runner
    },
    events: () => Array.fromAsync(deps.log.read(logName(sid), 0, { signal })),
    async seen<T extends EventType>(type: T, since = 0) {
      for await (const event of deps.log.tail(logName(sid), since, { signal })) {
        if (event.type === type) return event as Extract<LogEvent, { type: T }>
      }
      throw new Error(`There was no ${type}.`)
    },
    async [Symbol.asyncDispose]() {
      for (const { child } of runners) child.kill("SIGKILL")
      await Promise.all([...runners].map(({ exited }) => exited))
      records.close()
      blobs.close()
      if (!beside) await removeFolder(folder, { kill: true })
    },
  }
}
