import { runInNewContext } from "node:vm"
import { ANSWER_OF_A_RUN, atTheEdge, STREAM_PREFIX, STREAMED_PATH } from "@switchyard/functions/aws/paths"
import { describe, expect, it } from "vitest"
import { app } from "../described.ts"

const SECRET = `a "secret" of the Router's`

/** What the Router makes of a request. */
function atEdge(uri: string, headers: Record<string, { value: string }> = {}) {
  const event = { request: { uri, headers }, viewer: { ip: "203.0.113.7" } }
  runInNewContext(atTheEdge(SECRET), { event })
  return event.request
}

const routes = app.openAPIRegistry.definitions.flatMap((one) => (one.type === "route" ? [one.route] : []))
const exampleOf = (path: string) => path.replace(/\{\w+\}/g, "run_01abc")

describe("the way through the Router", () => {
  it("leads every stream, and every answer that waits for a run, to the function for streams, and nothing else", () => {
    const streamed = routes.filter(({ responses }) =>
      Object.values(responses).some((said) => "content" in said && "text/event-stream" in (said.content ?? {})),
    )
    expect(streamed.length).toBeGreaterThan(2)
    const waiting = routes.filter(({ path }) => ["/generate", "/v1/workflows/run"].includes(path))
    expect(waiting.map(({ path }) => ANSWER_OF_A_RUN.test(path))).toEqual([true, true])
    for (const { path } of routes) {
      const there = [...streamed, ...waiting].some((route) => route.path === path)
      const uri = exampleOf(path)
      expect(STREAMED_PATH.test(uri), path).toBe(there)
      expect(atEdge(uri).uri).toBe(there ? `${STREAM_PREFIX}${uri}` : uri)
    }
  })

  it("leads a run's events to it where they are asked for as a stream, and a page of them to the api", () => {
    const uri = "/v1/runs/run_01abc/events"
    const asked = (value: string) => atEdge(uri, { accept: { value } }).uri
    expect(asked("Text/Event-Stream, */*")).toBe(`${STREAM_PREFIX}${uri}`)
    expect(asked("application/json")).toBe(uri)
  })

  it("adds the secret and the caller's address, whatever the caller says they are", () => {
    const said = { "x-origin-secret": { value: "guessed" }, "x-viewer-address": { value: "127.0.0.1" } }
    expect(atEdge("/health", said).headers).toEqual({
      "x-origin-secret": { value: SECRET },
      "x-viewer-address": { value: "203.0.113.7" },
    })
  })
})
