import { createHash, randomBytes } from "node:crypto"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { createLog } from "@switchyard/core/events/log"
import { createWakeups } from "@switchyard/core/events/wakeups"
import { createNewId } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/runs/due"
import { createRunIndex } from "@switchyard/core/runs/run-index"
import { createRunKeys } from "@switchyard/core/runs/run-keys"
import { type FromRunner, ToRunner } from "@switchyard/core/runs/runner-messages"
import { artifactBlobs } from "@switchyard/core/sessions/keys"
import { createFileBlobs } from "@switchyard/core/storage/files"
import { patientStores } from "@switchyard/core/storage/patient"
import { createSqliteRecords } from "@switchyard/core/storage/sqlite"
import { createQueue, systemClock } from "@switchyard/core/stream"
import { openTerminalLog } from "@switchyard/core/terminals/terminal-log"
import { createLive } from "./agents/live.ts"
import { createAgentWork } from "./agents/work.ts"
import { createGit } from "./git/git.ts"
import { killFamily } from "./processes/process-tree.ts"
import { createCommands } from "./project/commands.ts"
import { createKeeper } from "./project/keeper.ts"
import { serveSession } from "./serve.ts"

type Start = Extract<ToRunner, { type: "start" }>
type Launch = Extract<ToRunner, { type: "run" }>

/** Parked by then, or not at all. */
const STOP_WITHIN_MS = 20_000
const SAVE_EVERY_MS = 60_000
const PATIENCE = { firstMs: 120_000, idleMs: 900_000, leaveMs: 5000 }

async function main(): Promise<void> {
  const messages = readMessages()
  const start = (await messages.next()).value
  if (start?.type !== "start") throw new Error("A runner is started by a line that says what to serve.")
  const stopping = new AbortController()
  const stop = () => {
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    stopping.abort()
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop)
  await serve(start, messages, stopping.signal)
}

async function serve(start: Start, messages: AsyncGenerator<ToRunner>, signal: AbortSignal): Promise<void> {
  const { sid, data_folder, local } = start
  const clock = systemClock
  const newId = createNewId(clock.now)
  const folder = join(data_folder, "runner", sid)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const sqlite = createSqliteRecords({ file: join(data_folder, "records.sqlite"), now: clock.now })
  const files = createFileBlobs({
    directory: join(data_folder, "blobs"),
    // Nobody asks a runner for a link.
    publicUrl: "http://127.0.0.1",
    signingKey: randomBytes(32),
    now: clock.now,
  })
  const stores = patientStores({ records: sqlite, blobs: files }, clock)
  const heard = createWakeups()
  const notify = (log: string) => {
    heard.notify(log)
    tell({ type: "wake", log })
  }
  const executor = `local-${process.pid}-${randomBytes(6).toString("hex")}`
  const base = {
    ...stores,
    clock,
    newId,
    wakeups: { ...heard, notify },
    writer: executor,
    report: (error: unknown) => console.error(error),
  }
  const log = createLog({ ...base })
  const live = createLive()
  // The same sid may be served from another data folder on this machine.
  const family = createHash("sha256").update(`${data_folder}\0${sid}`).digest("hex").slice(0, 24)
  const accounts = new Map<string, Launch["account"]>()

  const project = {
    git: createGit({ env: gitEnvironment(), userConfig: local }),
    ...{ clock, local, log, blobs: stores.blobs, folder: join(data_folder, "projects"), seen: new Map() },
    ...{ leftOut: new Map(), opening: createQueue() },
  }

  await serveSession(
    {
      ...base,
      ...{ log, live, tell, executor, leases: sqlite, verboseErrors: start.verbose_errors },
      due: createDueList(stores.records),
      index: createRunIndex(stores.records),
      keys: createRunKeys(stores.records, nothingSealed, clock.now),
      async cleanUp() {
        const survivors = await killFamily(family, { clock })
        if (survivors.length > 0) base.report(new Error(`These processes could not be ended: ${survivors.join(", ")}.`))
      },
      createKeeper: (session, generation) =>
        createKeeper(
          { project, newId, everyMs: start.save_every_ms ?? SAVE_EVERY_MS, report: base.report },
          session,
          generation,
        ),
      createCommands: (session, generation, keeper) =>
        createCommands({ log, project, keeper, report: base.report }, session, generation),
      createWork: ({ incarnation, sessionSeq, keeper }) =>
        createAgentWork({
          ...base,
          ...{ log, live, sessionSeq, family, folder, host: process.env, programs: start.programs, patience: PATIENCE },
          install: { folder: join(data_folder, "programs"), clock, host: process.env },
          openLog: (pty) => openTerminalLog({ ...base, log }, { sid, incarnation, pty, writer: executor }),
          async keepRecording(pty, source) {
            const key = `${artifactBlobs(sid, incarnation)}recordings/${pty}.cast`
            await files.put(key, source, { contentType: "application/x-asciicast" })
            return key
          },
          ended: new AbortController().signal,
          project,
          keeper,
          accountOf(runId) {
            const { api_key = null, base_url = null, home = "none" } = accounts.get(runId) ?? {}
            return { apiKey: api_key, baseUrl: base_url, home: join(data_folder, "homes", home) }
          },
        }),
    },
    { sid, idleMs: start.idle_ms, launches: launchesIn(messages, { accounts, wake: heard.notify }) },
    { signal },
  )
  sqlite.close()
  files.close()
}

/** The runs among the messages; of the others is taken note. */
async function* launchesIn(
  messages: AsyncGenerator<ToRunner>,
  { accounts, wake }: { accounts: Map<string, Launch["account"]>; wake: (log: string) => void },
): AsyncGenerator<Launch> {
  for await (const message of messages) {
    if (message.type === "wake") wake(message.log)
    if (message.type !== "run") continue
    accounts.set(message.run_id, message.account)
    yield message
  }
}

async function* readMessages(): AsyncGenerator<ToRunner> {
  for await (const line of createInterface({ input: process.stdin })) yield ToRunner.parse(JSON.parse(line))
}

/** Whoever doesn't read any more has no need of hints. */
function tell(message: FromRunner): void {
  if (process.stdout.writable) process.stdout.write(`${JSON.stringify(message)}\n`)
}
process.stdout.on("error", () => {})

function gitEnvironment(): Record<string, string> {
  const passed = ["PATH", "HOME", "SSH_AUTH_SOCK", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"]
  return Object.fromEntries(passed.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

/** A runner holds no master key: what an account's key is, it is told with the run. */
const nothingSealed = {
  seal: () => new Uint8Array(),
  open: () => {
    throw new Error("A runner opens nothing that is sealed.")
  },
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
