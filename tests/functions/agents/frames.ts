import { type Frame, framesOf, type TestServer } from "../server.ts"

/** Yields the frames of an event stream as they arrive. Leaving the loop disconnects. */
export async function* readFrames(
  { url }: Pick<TestServer, "url">,
  path: string,
  headers: Record<string, string> = {},
): AsyncGenerator<Frame> {
  const stop = new AbortController()
  const { body, status } = await fetch(`${url}${path}`, { headers, signal: stop.signal })
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
