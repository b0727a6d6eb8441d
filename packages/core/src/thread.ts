import type { Worker } from "node:worker_threads"

/**
 * Asks a thread for what a library makes of a text from outside, one text after another. A thread that takes longer than
 * `withinMs`, or fails, is ended and gives no answer; the next text gets a new one. For libraries that have no bound of their
 * own, or that break for good: neither stops the process then, nor what it does later.
 */
export function createThread<Answer>(
  start: () => Worker | Promise<Worker>,
  { withinMs }: { withinMs: number },
): (text: string) => Promise<Answer | undefined> {
  let worker: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function ask(text: string): Promise<Answer | undefined> {
    worker ??= await start()
    const asked = worker
    const answered = Promise.withResolvers<{ answer: Answer } | undefined>()
    const onMessage = (answer: Answer) => answered.resolve({ answer })
    const onEnd = () => answered.resolve(undefined)
    const timer = setTimeout(onEnd, withinMs)
    asked.on("message", onMessage).on("error", onEnd).on("exit", onEnd)
    // Only a question keeps the process from ending.
    asked.ref()
    asked.postMessage(text)
    const result = await answered.promise
    clearTimeout(timer)
    asked.off("message", onMessage).off("exit", onEnd)
    asked.unref()
    if (result) {
      asked.off("error", onEnd)
      return result.answer
    }
    worker = undefined
    await asked.terminate()
    return undefined
  }

  return (text) => {
    const answer = last.then(() => ask(text))
    last = answer.catch(() => {})
    return answer
  }
}
