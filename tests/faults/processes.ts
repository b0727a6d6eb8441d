import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { ServerFaults } from "../fixtures/server-process.ts"
import { removeFolder } from "../remove-folder.ts"
import { COMPILED } from "../settings.ts"

const PRODUCT = fileURLToPath(new URL("../../packages/functions/src/local/main.mjs", import.meta.url))
const FIXTURE = fileURLToPath(new URL("../fixtures/server-process.ts", import.meta.url))

/** However the tests end, no server outlives them. */
const ORPHANS_DIE = `data:text/javascript,process.on("disconnect", () => process.exit(1))`

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A server that runs as a process of its own. */
export interface ServerProcess {
  /** Where it listens; undefined if it ended before it did. */
  url: Promise<string | undefined>
  ended: Promise<Ended>
  /** All that it printed so far. */
  output(): string
  kill(signal: NodeJS.Signals): void
  /** How many times it wrote to its stores; of the fixture only. */
  writes(): Promise<number>
}

/** Starts the product on a data folder, with a model server in place of groq; with faults, the fixture in its stead. */
export function startServer(dataFolder: string, modelUrl: string, faults?: ServerFaults): ServerProcess {
  const { PATH = "" } = process.env
  const env = {
    PATH,
    PORT: "0",
    SWITCHYARD_DATA: dataFolder,
    XDG_CONFIG_HOME: join(dataFolder, "config"),
    GROQ_API_KEY: "test",
    GROQ_BASE_URL: modelUrl,
    NODE_COMPILE_CACHE: COMPILED,
  }
  const args = faults ? [JSON.stringify(faults)] : []
  const child = fork(faults ? FIXTURE : PRODUCT, args, { env, silent: true, execArgv: ["--import", ORPHANS_DIE] })
  const kill = (signal: NodeJS.Signals) => void child.kill(signal)
  const ended = once(child, "exit").then(([code, signal]): Ended => ({ code, signal }))
  let output = ""
  const url = new Promise<string | undefined>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output += text
        const found = /listening on (\S+)\n/.exec(output)?.[1]
        if (found) resolve(found)
      })
    }
    ended.then(() => resolve(undefined))
  })
  return { url, ended, output: () => output, kill, writes: () => askWrites(child) }
}

async function askWrites(child: ChildProcess): Promise<number> {
  const answer = once(child, "message")
  child.send("writes")
  const [{ writes }] = await answer
  return writes
}

/** An empty folder, removed in the end with whatever is in it. */
export async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), "faults-"))
  return { path, [Symbol.asyncDispose]: () => removeFolder(path, { kill: true }) }
}
