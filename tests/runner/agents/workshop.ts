import { randomUUID } from "node:crypto"
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { attachTerminal, openTerminalLog, type TerminalLogDeps } from "@switchyard/core/agents/terminals/terminal-log"
import type { EventType, NewEvent } from "@switchyard/core/events"
import { createNewId } from "@switchyard/core/ids"
import { storeArtifact } from "@switchyard/core/kernel/artifact"
import { createLog } from "@switchyard/core/log/log"
import { createWakeups } from "@switchyard/core/log/notifier"
import { systemClock } from "@switchyard/core/time"
import { type Attachments, createAttachments } from "@switchyard/runner/agents/attachments"
import { createDecisions, type Decisions } from "@switchyard/runner/agents/decisions"
import { runTask } from "@switchyard/runner/agents/run-task"
import type { Task, TaskDeps, TaskEnd } from "@switchyard/runner/agents/task"
import { openSupervisor } from "@switchyard/runner/processes/supervisor"
import { locate } from "@switchyard/runner/programs/locate"
import { openStores } from "../../fixtures/stores.ts"
import { LIMIT_MS, never } from "../../settings.ts"

export interface Workshop extends AsyncDisposable {
  folder: string
  project: string
  deps: TaskDeps & TerminalLogDeps
  attachments: Attachments
  decisions: Decisions
  logged: NewEvent[]
  recordings: Map<string, string>
  reported: unknown[]
  /** Runs a task of the mock agent. */
  work(knobs: object | string, changes?: Partial<Task>, signal?: AbortSignal): Promise<TaskEnd>
  /** Calls back with each event that is appended from now on. */
  onEvent(callback: (event: NewEvent) => void): void
  /** Resolves once an event of this type is in the log. */
  seen(type: EventType): Promise<NewEvent>
  of<T extends EventType>(type: T): Extract<NewEvent, { type: T }>[]
}

/** Opens a workshop with real processes in real terminals, on the embedded stores. */
export async function openWorkshop(changes: Partial<TaskDeps> = {}): Promise<Workshop> {
  const stores = await openStores()
  // Not under /tmp, because some agents refuse to store files there.
  await mkdir(join(homedir(), ".cache"), { recursive: true })
  const folder = await mkdtemp(join(homedir(), ".cache/switchyard-workshop-"))
  const project = join(folder, "project")
  await mkdir(project)
  const log = createLog({ ...stores, clock: systemClock, wakeups: createWakeups() })
  const base = { ...stores, log, clock: systemClock, newId: createNewId() }
  const logged: NewEvent[] = []
  const waiting: { type: EventType; resolve: (event: NewEvent) => void }[] = []
  const listeners: ((event: NewEvent) => void)[] = []
  const recordings = new Map<string, string>()
  const reported: unknown[] = []
  const attachments = createAttachments()
  const decisions = createDecisions()
  const deps: Workshop["deps"] = {
    ...base,
    attachments: attachments.ofAgent("main"),
    decisions: decisions.ofAgent("main"),
    storeArtifact: (bytes) =>
      storeArtifact(stores.blobs, { sid: "s", incarnation: 1 }, bytes, { signal: new AbortController().signal }),
    append: async (events) => {
      logged.push(...events)
      for (const event of events) for (const listener of listeners) listener(event)
      for (const event of events) for (const one of waiting) if (one.type === event.type) one.resolve(event)
    },
    openLog: (pty) => openTerminalLog(base, { sid: "s", incarnation: 1, pty, writer: "test" }),
    sessionSeq: () => logged.length,
    async keepRecording(pty, source) {
      const chunks: Uint8Array[] = []
      for await (const chunk of source) chunks.push(chunk)
      recordings.set(pty, Buffer.concat(chunks).toString())
      return `recordings/${pty}`
    },
    report: (error) => reported.push(error),
    family: randomUUID(),
    supervisor: await openSupervisor((await locate("perl", process.env.PATH ?? ""))?.file),
    ended: new AbortController().signal,
    patience: {
      ...{ firstMs: LIMIT_MS, idleMs: LIMIT_MS, busyMs: LIMIT_MS, leaveMs: 2000, answerMs: LIMIT_MS },
      retryMs: 0,
    },
    host: process.env,
    programs: [],
    admitProject: async () => ({ isTrusted: false, async [Symbol.asyncDispose]() {} }),
    folder,
    ...changes,
  }
  const workshop: Workshop = {
    ...{ folder, project, deps, attachments, decisions, logged, recordings, reported },
    work(knobs, changes = {}, signal = new AbortController().signal) {
      const task = typeof knobs === "string" ? knobs : `Try it. mock: ${JSON.stringify(knobs)}`
      const plain = { account: null, model: null, reasoning: null, repository: null, terminal: { rows: 24, cols: 80 } }
      const home = join(folder, "homes/mock")
      const input = { ...plain, task, cli: "mock" as const }
      const account = { apiKey: null, baseUrl: null }
      const about = {
        notes: { documents: [], checks: [], screenshots: [] },
        resume: null,
        followUp: false,
        interrupted: false,
      }
      return runTask(deps, { input, root: project, cwd: project, home, account, ...about, ...changes }, { signal })
    },
    onEvent: (callback) => void listeners.push(callback),
    seen(type) {
      const found = logged.find((event) => event.type === type)
      if (found) return Promise.resolve(found)
      return new Promise((resolve) => waiting.push({ type, resolve }))
    },
    of: (type) => logged.filter((event) => event.type === type) as never,
    async [Symbol.asyncDispose]() {
      await stores.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return workshop
}

/** Waits until a terminal has ended, and returns its output: the bytes, and the screen of each snapshot. */
export async function shownIn(deps: TerminalLogDeps, pty: string): Promise<string> {
  let shown = ""
  for await (const frame of attachTerminal(deps, "s", pty, { offset: 0, signal: never })) {
    if (frame.type === "bytes") shown += Buffer.from(frame.bytes).toString()
    if (frame.type === "snapshot") shown += frame.screen
  }
  return shown
}

/** Returns the ids of all processes whose environment contains this text. */
export async function processesWith(text: string): Promise<number[]> {
  return (await readProcesses("environ")).flatMap(({ pid, content }) => (content.includes(text) ? [pid] : []))
}

/** Returns the command line of every process. */
export async function commandLines(): Promise<string[]> {
  return (await readProcesses("cmdline")).map(({ content }) => content.replaceAll("\0", " "))
}

/** Reads a `/proc` file of every live process. `content` is empty if the file can't be read. */
async function readProcesses(file: "environ" | "cmdline"): Promise<{ pid: number; content: string }[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    ids.map(async (id) => {
      const content = await readFile(`/proc/${id}/${file}`, "latin1").catch(() => "")
      const state = await readFile(`/proc/${id}/stat`, "latin1").catch(() => "Z")
      return /\) Z /.test(state) ? [] : [{ pid: Number(id), content }]
    }),
  )
  return found.flat()
}
