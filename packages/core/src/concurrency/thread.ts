import type { Worker } from "node:worker_threads"
import type { CallMessage, Functions } from "./thread-entry.ts"

/** Heap limit of a thread. A call that exceeds it ends the thread. */
const MAX_HEAP_MB = 256

/** Time after which an unused thread ends. */
const IDLE_MS = 60_000

/**
 * Calls a function in the thread. Returns its result. Undefined if the call throws, times out or ends the thread.
 * Arguments and results are copied.
 */
export type CallInThread<F extends Functions> = <Name extends keyof F & string>(
  name: Name,
  ...args: Parameters<F[Name]>
) => Promise<Awaited<ReturnType<F[Name]>> | undefined>

/**
 * Creates a thread for parsers that may be slow or crash on untrusted text. The thread starts on the first call, and
 * calls run one at a time. If a call fails, its thread is ended and the next call starts a new one, so neither the
 * process nor later calls are affected. `load` imports the module that the thread runs. That module must call
 * `serveCalls`. It must not be imported anywhere else, so that bundlers put it into a separate file.
 */
export function createThread<F extends Functions>(
  load: () => Promise<{ url: string }>,
  { withinMs, idleMs = IDLE_MS }: { withinMs: number; idleMs?: number },
): CallInThread<F> {
  let worker: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()
  let idle: NodeJS.Timeout | undefined

  async function call(message: CallMessage): Promise<unknown> {
    clearTimeout(idle)
    worker ??= await startThread((await load()).url)
    const called = worker
    // Keep the process alive only while a call is running.
    called.ref()
    const answer = await answerOf(called, { message, withinMs })
    called.unref()
    if ("result" in answer) {
      idle = setTimeout(end, idleMs).unref()
      return answer.result
    }
    await end()
    return undefined
  }

  async function end(): Promise<void> {
    const ended = worker
    worker = undefined
    await ended?.terminate()
  }

  return (name, ...args) => {
    const result = last.then(() => call({ name, args }))
    last = result.catch(() => {})
    return result as ReturnType<CallInThread<F>>
  }
}

/** Starts a thread and waits until it has loaded. Throws if it can't load. */
async function startThread(url: string): Promise<Worker> {
  const { Worker } = await import("node:worker_threads")
  const worker = new Worker(new URL(url), {
    workerData: url,
    execArgv: ["--disable-warning=ExperimentalWarning"],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    // Keep the output of a crashing library out of the server's output.
    stdout: true,
    stderr: true,
  })
  const answer = await answerOf(worker)
  if ("result" in answer) return worker
  throw new Error(`The thread couldn't be started: ${url}`, { cause: answer.error })
}

/** Returns the next message from the thread, or the error if the thread ends or the call times out. */
async function answerOf(
  worker: Worker,
  question?: { message: CallMessage; withinMs: number },
): Promise<{ result: unknown } | { error: unknown }> {
  const answered = Promise.withResolvers<{ result: unknown } | { error: unknown }>()
  const onMessage = (result: unknown) => answered.resolve({ result })
  const onEnd = (error: unknown) => answered.resolve({ error })
  const timer = question && setTimeout(onEnd, question.withinMs, "late")
  worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd)
  if (question) worker.postMessage(question.message)
  const answer = await answered.promise
  clearTimeout(timer)
  worker.off("message", onMessage).off("exit", onEnd)
  // If the call failed, keep the error handler, because the terminated thread may still emit an error.
  if ("result" in answer) worker.off("error", onEnd)
  return answer
}
