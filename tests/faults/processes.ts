import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Canaries, createCanaries } from "../canaries.ts"
import type { ServerFaults } from "../fixtures/server-process.ts"
import { emptyOfProcesses, removeFolder } from "../remove-folder.ts"
import { COMPILED } from "../settings.ts"

const PRODUCT = fileURLToPath(new URL("../../packages/functions/src/local/main.mjs", import.meta.url))
const FIXTURE = fileURLToPath(new URL("../fixtures/server-process.ts", import.meta.url))

/** Key of each server's own models. Only its environment may contain the key. */
const SERVERS_KEY = "gsk_Vq7RmX2cTz9LwB4nKd8P"

/** Ends a server when the tests end, however they end. */
const ORPHANS_DIE = `data:text/javascript,process.on("disconnect", () => process.exit(1))`

/**
 * Measures the turns of the event loop. During a turn, the server can't answer requests. Only processor time counts, so
 * that a busy machine changes nothing.
 */
const MEASURE_TURNS = `data:text/javascript,${encodeURIComponent(`
  let last = process.threadCpuUsage()
  let longest = 0
  setInterval(() => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, (now.user + now.system - last.user - last.system) / 1000)
    last = now
  }, 2).unref()
  process.on("message", (asked) => {
    if (asked !== "longest turn") return
    process.send({ longestTurnMs: longest })
    longest = 0
  })
  process.channel?.unref()
`)}`

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A server in a separate process. */
export interface ServerProcess {
  /** Resolves to its address, or to undefined if it ended before it listened. */
  url: Promise<string | undefined>
  /** Rejects if the server printed its key. */
  ended: Promise<Ended>
  /** Returns all output so far. */
  output(): string
  kill(signal: NodeJS.Signals): void
  /** Resolves to the number of writes to the stores. Only the fixture counts them. */
  writes(): Promise<number>
  /** Resolves to the processor time of the longest turn of the event loop since the last call. */
  longestTurnMs(): Promise<number>
}

/**
 * Starts the product on a data folder, with a model server in place of groq. With faults, starts the fixture instead.
 */
export function startServer(dataFolder: string, modelUrl: string, faults?: ServerFaults): ServerProcess {
  const { PATH = "" } = process.env
  const env = {
    PATH,
    PORT: "0",
    SWITCHYARD_DATA: dataFolder,
    XDG_CONFIG_HOME: join(dataFolder, "config"),
    GROQ_API_KEY: SERVERS_KEY,
    GROQ_BASE_URL: modelUrl,
    WORKFLOW_REVIEW: "0",
    NODE_COMPILE_CACHE: COMPILED,
  }
  const args = faults ? [JSON.stringify(faults)] : []
  const child = fork(faults ? FIXTURE : PRODUCT, args, {
    env,
    silent: true,
    execArgv: ["--import", ORPHANS_DIE, "--import", MEASURE_TURNS],
  })
  const kill = (signal: NodeJS.Signals) => void child.kill(signal)
  const ended = once(child, "exit").then(([code, signal]): Ended => {
    if (output.includes(SERVERS_KEY)) throw new Error(`The server printed its key: ${output}`)
    return { code, signal }
  })
  let output = ""
  const url = new Promise<string | undefined>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output += text
        const found = /listening on (\S+)\n/.exec(output)?.[1]
        if (found) resolve(found)
      })
    }
    once(child, "exit").then(() => resolve(undefined))
  })
  return { url, ended, output: () => output, kill, writes: () => askWrites(child), longestTurnMs: () => askTurn(child) }
}

async function askWrites(child: ChildProcess): Promise<number> {
  const answer = once(child, "message")
  child.send("writes")
  const [{ writes }] = await answer
  return writes
}

async function askTurn(child: ChildProcess): Promise<number> {
  const answer = once(child, "message")
  child.send("longest turn")
  const [{ longestTurnMs }] = await answer
  return longestTurnMs
}

export interface TemporaryFolder extends AsyncDisposable {
  path: string
  /** Keys to search for on disposal, besides the servers' own. */
  canaries: Canaries
}

/** Creates an empty folder. Disposing removes the folder, and throws if a file in it contains a key. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), "faults-"))
  const canaries = createCanaries()
  canaries.note({ api_key: SERVERS_KEY })
  return {
    path,
    canaries,
    async [Symbol.asyncDispose]() {
      await emptyOfProcesses(path, { kill: true })
      const found = await canaries.findUnder(path)
      await removeFolder(path, { kill: true })
      if (found.length > 0) throw new Error(`Keys were left behind: ${found.join(", ")}.`)
    },
  }
}
