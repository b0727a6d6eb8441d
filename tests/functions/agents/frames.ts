import { type Frame, framesOf, type TestServer } from "../server.ts"

/** The frames of a stream as they come. Leaving the loop hangs up; so does the end of the minute that it has. */
export async function* readFrames(
  { url }: Pick<TestServer, "url">,
  path: string,
  headers: Record<string, string> = {},
): AsyncGenerator<Frame> {
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)])
  const { body, status } = await fetch(`${url}${path}`, { headers, signal })
  if (status !== 200 || !body) throw new Error(`${path} answered ${status}.`)
  const decoder = new TextDecoder()
  let rest = ""
  try {
    for await (const chunk of body) {
      rest += decoder.decode(chunk, { stream: true })
      const end = rest.lastIndexOf("\n\n") + 2
      if (end < 2) continue
      yield* framesOf(rest.slice(0, end))
      rest = rest.slice(end)
    }
  } finally {
    stop.abort()
  }
}
