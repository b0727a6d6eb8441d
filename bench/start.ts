import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { rm } from "node:fs/promises"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { compared, type Question, sideBySide, timed } from "./measure.ts"
import { temporaryDirectory } from "./stage.ts"

const functions = fileURLToPath(new URL("../packages/functions/", import.meta.url))

const BARE_SERVER = `
  import { serve } from "@hono/node-server"
  import { Hono } from "hono"
  const app = new Hono().get("/", (c) => c.text("hello"))
  serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, () => console.log("listening"))
`

export const start: Question = {
  asks: "How long does the server take from start to ready?",
  async answer() {
    const server = () => readyAfter(["src/local/main.mjs"])
    const bare = () => readyAfter(["--input-type=module", "-e", BARE_SERVER])
    return [
      compared("start to ready", "ms", "bare hono server", await sideBySide(server, bare)),
      compared("start to ready", "ms", "node -e 0", await sideBySide(server, nothing)),
    ]
  },
}

/** Returns the milliseconds from the start of a process, on an empty folder, to its first line. */
async function readyAfter(args: string[]): Promise<number> {
  const data = await temporaryDirectory()
  const env = { ...process.env, PORT: "0", HOST: "127.0.0.1", SWITCHYARD_DATA: data, XDG_CONFIG_HOME: data }
  let child: ChildProcess | undefined
  try {
    return await timed(async () => {
      child = spawn(process.execPath, args, { cwd: functions, env, stdio: ["ignore", "pipe", "inherit"] })
      await firstLine(child)
    })
  } finally {
    if (child) await stopped(child)
    await rm(data, { recursive: true, force: true })
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<void> {
  if (stdout) for await (const _ of createInterface({ input: stdout })) return
  throw new Error("The server ended before it was ready.")
}

async function stopped(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit")
  child.kill()
  await exit
}

function nothing(): Promise<number> {
  return timed(() => once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit"))
}
