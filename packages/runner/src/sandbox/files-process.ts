import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { type Files, ownFiles } from "../files/files.ts"
import type { AgentUser } from "../processes/agent-user.ts"
import { encodeRequest, readAnswer, readValue } from "./files-protocol.ts"
import { decodeFrames } from "./frames.ts"

const PROGRAM = fileURLToPath(new URL("files-child.ts", import.meta.url))

/**
 * Time limit per call. It is necessary because an agent can stop its user's processes, and long because removing
 * folders takes time.
 */
const CALL_WITHIN_MS = 10 * 60_000

/**
 * Accesses files as another user, through a process that runs as that user. The process starts with the first call, and
 * is restarted if it dies. Its replies are validated. An invalid reply ends the process, and its pending calls fail.
 */
export function openFilesProcess(
  user: AgentUser,
  { env, callWithinMs = CALL_WITHIN_MS }: { env: Record<string, string>; callWithinMs?: number },
): Files & Disposable {
  let running: FilesProcess | undefined

  const methodNamed =
    (method: keyof Files) =>
    (...args: unknown[]) => {
      if (!running?.isAlive) running = startProcess(user, env, callWithinMs)
      return running.call(method, args)
    }
  const methods = Object.keys(ownFiles).map((name) => [name, methodNamed(name as keyof Files)])
  return {
    ...(Object.fromEntries(methods) as Files),
    [Symbol.dispose]: () => running?.end(new Error("The agent file process was closed.")),
  }
}

interface FilesProcess {
  readonly isAlive: boolean
  call(method: keyof Files, args: unknown[]): Promise<unknown>
  end(reason: Error): void
}

interface Call {
  method: keyof Files
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  late: NodeJS.Timeout
}

function startProcess(user: AgentUser, env: Record<string, string>, callWithinMs: number): FilesProcess {
  const child = spawn(process.execPath, [PROGRAM], { ...user, env, cwd: "/", stdio: ["pipe", "pipe", "ignore"] })
  const calls = new Map<number, Call>()
  let isAlive = true
  let nextId = 0

  function end(reason: unknown): void {
    isAlive = false
    child.kill("SIGKILL")
    for (const { reject, late } of calls.values()) {
      clearTimeout(late)
      reject(reason)
    }
    calls.clear()
  }

  async function receive(): Promise<void> {
    for await (const { json, bytes } of decodeFrames(child.stdout)) {
      const answer = readAnswer(json)
      const call = calls.get(answer.id)
      if (!call) throw new Error("The agent file process sent an unexpected reply.")
      const value = answer.error ? undefined : readValue(call.method, answer.value, bytes)
      calls.delete(answer.id)
      clearTimeout(call.late)
      if (answer.error) call.reject(asError(answer.error))
      else call.resolve(value)
    }
    throw new Error("The process that reads and writes the agent's files exited.")
  }

  child.stdin.on("error", () => {})
  child.on("error", end)
  receive().catch(end)
  return {
    get isAlive() {
      return isAlive
    },
    call(method, args) {
      const id = nextId++
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const tooLate = () => end(new Error(`The agent file process took too long: ${method}.`))
      calls.set(id, { method, resolve, reject, late: setTimeout(tooLate, callWithinMs).unref() })
      for (const part of encodeRequest(id, method, args)) child.stdin.write(part)
      return promise
    },
    end,
  }
}

function asError({ message, ...about }: { message: string; code?: string; path?: string }): Error {
  return Object.assign(new Error(message), about)
}
