import type { Worker } from "node:worker_threads"
import type { CallMessage, Functions } from "./thread-entry.ts"

/** The heap of a thread. A call that needs more ends its thread. */
const MAX_HEAP_MB = 256

/** The time after which an unused thread ends. */
const IDLE_MS = 60_000

/**
 * Calls a function in the thread. Resolves to its result, or to undefined if the call throws, takes longer than the deadline, or
 * ends the thread. Arguments and results are copied.
 */
export type CallInThread<F extends Functions> = <Name extends keyof F & string>(
  name: Name,
  ...args: Parameters<F[Name]>
) => Promise<Awaited<ReturnType<F[Name]>> | undefined>

/**
 * Creates a thread for parsers of text from outside that can take long or break for good. The thread starts with the first call,
 * and calls run one after another. A call without a result ends the thread, and the next call starts a new one: neither the
 * process nor a later call notices.
 *
 * `load` imports the module that the thread runs, which calls `serveCalls`. It must be the only import of that module: bundles
 * then have the module in a file of its own.
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
    // Only a call keeps the process from ending.
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
    // The prints of a library that breaks are no messages of the server.
    stdout: true,
    stderr: true,
  })
  const answer = await answerOf(worker)
  if ("result" in answer) return worker
  throw new Error(`The thread can't start: ${url}`, { cause: answer.error })
}

/** Resolves to the next message of a thread, or to the error if the thread ends or takes too long. */
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
  // A thread that is ended may still fail.
  if ("result" in answer) worker.off("error", onEnd)
  return answer
}
