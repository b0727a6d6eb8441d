import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { listen } from "./listen.ts"

export interface LambdaFunction {
  name: string
  /** Folder of the bundle. */
  taskRoot: string
  /** Path of AWS's runtime client. */
  client: string
  env: Record<string, string>
  timeoutMs: number
  /** Another time limit for requests to some paths, so that concurrent scenarios keep theirs. */
  exception?: { paths: RegExp; timeoutMs: number }
}

export interface Invocation {
  event: unknown
  timeoutMs: number
  /** Receives a streamed answer as it arrives. Omitted if no client waits for the answer. */
  stream?: (body: IncomingMessage) => Promise<void>
}

/** End of an invocation. `lost` means a crash or a timeout. */
export type Outcome = { kind: "done"; answer?: string } | { kind: "error"; error: string } | { kind: "lost" }

export type Environment = Awaited<ReturnType<typeof bootEnvironment>>

/**
 * Boots an execution environment: a process of AWS's runtime client with our bundle. It asks this stand-in for Lambda's
 * Runtime API for one invocation at a time. Its output goes to `log`.
 */
export async function bootEnvironment(fn: LambdaFunction, log: (text: string) => void) {
  const aheadMs = Number(fn.env.CLOCK_AHEAD_MS ?? 0)
  let current: (Invocation & { id: string; end: (outcome: Outcome) => void }) | undefined
  let waiting: ServerResponse | undefined
  let timeout: NodeJS.Timeout | undefined
  let alive = true

  function give(): void {
    if (!current || !waiting) return
    waiting.writeHead(200, {
      "content-type": "application/json",
      "Lambda-Runtime-Aws-Request-Id": current.id,
      "Lambda-Runtime-Deadline-Ms": String(Date.now() + aheadMs + current.timeoutMs),
      "Lambda-Runtime-Invoked-Function-Arn": `arn:aws:lambda:eu-central-1:123456789012:function:${fn.name}`,
      "Lambda-Runtime-Trace-Id": "Root=1-0-0;Sampled=0",
    })
    waiting.end(JSON.stringify(current.event))
    waiting = undefined
    // Lambda also kills without warning. The time counts from here, because booting isn't part of the invocation.
    timeout = setTimeout(() => child.kill("SIGKILL"), current.timeoutMs / hurry)
  }

  async function take(request: IncomingMessage, failed: boolean): Promise<void> {
    const invocation = current
    if (!invocation) throw new Error("Nothing was asked.")
    if (invocation.stream && request.headers["lambda-runtime-function-response-mode"] === "streaming") {
      await invocation.stream(request)
      return invocation.end({ kind: "done" })
    }
    const answer = await text(request)
    invocation.end(failed ? { kind: "error", error: answer } : { kind: "done", answer })
  }

  const runtimeApi = await listen(async (request, response) => {
    const path = request.url?.replace("/2018-06-01/runtime/", "") ?? ""
    if (path === "invocation/next") {
      waiting = response
      return give()
    }
    try {
      if (path === "init/error") log(`${fn.name} could not start: ${await text(request)}\n`)
      else await take(request, path.endsWith("/error"))
      response.writeHead(202, { "content-type": "application/json" }).end("{}")
    } catch {
      // The process died while it answered. Its exit ends the invocation.
      response.destroy()
    }
  })

  const hurry = Number(fn.env.HURRY ?? 1)
  const preloaded = [...(aheadMs > 0 ? ["clock-ahead.ts"] : []), ...(hurry > 1 ? ["hurry.ts"] : [])]
  const preload = preloaded.flatMap((file) => ["--import", join(import.meta.dirname, file)])
  const child = spawn(process.execPath, [...preload, fn.client, `${fn.name}.handler`], {
    cwd: fn.taskRoot,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      AWS_LAMBDA_RUNTIME_API: runtimeApi.host,
      LAMBDA_TASK_ROOT: fn.taskRoot,
      _HANDLER: `${fn.name}.handler`,
      AWS_LAMBDA_FUNCTION_NAME: fn.name,
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "1024",
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${fn.name}`,
      AWS_LAMBDA_LOG_STREAM_NAME: "rehearsal",
      AWS_EC2_METADATA_DISABLED: "true",
      ...fn.env,
    },
  })
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", log)
  const exit = once(child, "exit").then(() => {
    alive = false
    runtimeApi.stop()
    current?.end({ kind: "lost" })
  })

  return {
    isIdle: () => alive && current === undefined,
    /** Returns the event of the current invocation, if any. */
    event: () => current?.event,
    async invoke(invocation: Invocation): Promise<Outcome> {
      const ended = Promise.withResolvers<Outcome>()
      current = { ...invocation, id: randomUUID(), end: ended.resolve }
      if (!alive) ended.resolve({ kind: "lost" })
      give()
      const outcome = await ended.promise
      clearTimeout(timeout)
      current = undefined
      return outcome
    },
    async kill(): Promise<void> {
      child.kill("SIGKILL")
      await exit
    },
  }
}
