import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import type { Clock } from "@switchyard/core/time"
import { killTree, MARK } from "../processes/process-tree.ts"

export interface ServerProcess {
  file: string
  args: string[]
  cwd: string
  env: Record<string, string>
  /** Prefix of the marks of all programs in a session. */
  family: string
}

/**
 * Maximum output between two requests to the server. A server that prints more is ended. Automatic answers to requests
 * of the server don't count, because the server decides on their number.
 */
const MAX_BYTES = 8 * 1024 * 1024
const MAX_LINES = 2000

/**
 * Creates a connection to an MCP server that is a process. Lines that aren't messages are ignored, because many servers
 * also print other text. A server that floods its output is ended, and so are all its processes when the connection
 * closes.
 */
export function createCommandTransport(server: ServerProcess, { clock }: { clock: Clock }): Transport {
  const mark = `${server.family}.${randomUUID()}`
  let child: ChildProcess | undefined
  let closing: Promise<unknown> | undefined
  let held: Buffer[] = []
  let [bytes, lines] = [0, 0]

  function take(chunk: Buffer): void {
    bytes += chunk.length
    let rest = chunk
    for (let end = rest.indexOf(10); end >= 0 && lines <= MAX_LINES; end = rest.indexOf(10)) {
      const line = Buffer.concat([...held, rest.subarray(0, end)]).toString()
      held = []
      rest = rest.subarray(end + 1)
      lines++
      const message = messageIn(line)
      if (message) transport.onmessage?.(message)
    }
    held.push(rest)
    if (bytes > MAX_BYTES || lines > MAX_LINES) void transport.close()
  }

  const transport: Transport = {
    async start() {
      const { file, args, cwd, env } = server
      // Discard stderr, because a pipe that nobody reads would block the server.
      const started = spawn(file, args, { cwd, env: { ...env, [MARK]: mark }, stdio: ["pipe", "pipe", "ignore"] })
      child = started
      started.stdout.on("data", take)
      // The server may exit while a message is being written.
      started.stdin.on("error", () => {})
      started.once("exit", () => void transport.close())
      await new Promise<void>((resolve, reject) => {
        started.once("spawn", resolve)
        started.once("error", reject)
      })
    },
    async send(message) {
      if ("method" in message) [bytes, lines] = [0, 0]
      if (closing || !child?.stdin?.writable) throw new Error("The MCP server has ended.")
      child.stdin.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      closing ??= end()
      await closing
    },
  }

  async function end(): Promise<void> {
    child?.stdout?.destroy()
    held = []
    transport.onclose?.()
    if (child?.pid !== undefined) await killTree({ pid: child.pid, mark }, { clock })
  }

  return transport
}

function messageIn(line: string): JSONRPCMessage | undefined {
  try {
    const message = JSON.parse(line)
    const isMessage = typeof message === "object" && message !== null && message.jsonrpc === "2.0"
    return isMessage ? message : undefined
  } catch {
    return undefined
  }
}
