import { spawn } from "node:child_process"
import { EventEmitter, once } from "node:events"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { removeFolder } from "../../remove-folder.ts"
import { COMPILED } from "../../settings.ts"

const MAIN = fileURLToPath(new URL("../../../packages/functions/src/local/main.mjs", import.meta.url))

/** Starts the product as a child process on an empty folder, or on the folder that `env` names. */
export async function npmStart(env: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-start-"))
  const { PATH = "" } = process.env
  // Isolates the test from other programs on this machine.
  const given = {
    PATH,
    PORT: "0",
    LOCAL_MODELS: "off",
    SWITCHYARD_DATA: join(folder, "data"),
    XDG_CONFIG_HOME: join(folder, "config"),
  }
  const child = spawn(process.execPath, [MAIN], { env: { ...given, NODE_COMPILE_CACHE: COMPILED, ...env } })
  const ended = once(child, "close")
  let output = ""
  const heard = new EventEmitter()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text
      heard.emit("more")
    })
  }
  return {
    child,
    ended,
    output: () => output,
    async printed(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(output)
        if (found) return found
        if (child.exitCode !== null) throw new Error(output)
        await Promise.race([once(heard, "more"), ended])
      }
    },
    /** Stops the server with SIGINT, like Ctrl-C. */
    async stop(): Promise<void> {
      child.kill("SIGINT")
      await ended
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL")
      await ended
      await removeFolder(folder, { kill: false })
    },
  }
}
