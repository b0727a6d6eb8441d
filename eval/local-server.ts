import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Server } from "./evaluate.ts"

const MAIN = fileURLToPath(new URL("../packages/functions/src/local/main.mjs", import.meta.url))

/**
 * Starts a server of this checkout on an empty folder, with the keys and settings of this environment and its `.env` file.
 * Ends it and removes its folder when disposed. Throws if it doesn't start.
 */
export async function startLocalServer(): Promise<Server & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-eval-"))
  const env = {
    ...process.env,
    HOST: "127.0.0.1",
    PORT: "0",
    AUTH_MODE: "open",
    SWITCHYARD_DATA: join(folder, "data"),
    XDG_CONFIG_HOME: folder,
  }
  const child = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "inherit"] })
  const dispose = async () => {
    await stopped(child)
    await rm(folder, { recursive: true, force: true })
  }
  const url = await addressOf(child)
  if (url === undefined) {
    await dispose()
    throw new Error("The server didn't start. Its reason is above.")
  }
  return { url, [Symbol.asyncDispose]: dispose }
}

async function addressOf({ stdout }: ChildProcess): Promise<string | undefined> {
  let printed = ""
  for await (const text of stdout?.setEncoding("utf8").iterator({ destroyOnReturn: false }) ?? []) {
    printed += text
    const url = /listening on (\S+)\n/.exec(printed)?.[1]
    if (url) {
      stdout?.resume()
      return url
    }
  }
  return undefined
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, "exit")
  child.kill("SIGINT")
  await exit
}
