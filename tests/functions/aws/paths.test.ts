import {
  pathWithoutSecrets,
  RUN_RESPONSE_PATH,
  STREAM_PREFIX,
  STREAMED_PATH,
  STUDIO_ORIGIN,
  viewerRequestCode,
} from "@switchyard/functions/aws/paths"
import { isSocketPath } from "@switchyard/functions/http/socket-address"
import { STUDIO_PATHS } from "@switchyard/functions/http/studio"
import { describe, expect, it } from "vitest"
import { app, endpoints } from "../described.ts"

const SECRET = `a "secret" of the Router's`

interface Said {
  method?: string
  headers?: Record<string, { value: string }>
}

/** Runs the Router's code on a request. Returns the changed request and the selected origin, if any. */
function atEdge(uri: string, { method = "GET", headers = {} }: Said = {}) {
  const request = { method, uri, headers, querystring: { a: { value: "b" } }, cookies: { switchyard: { value: "c" } } }
  let origin: string | undefined
  const cf = { selectRequestOriginById: (id: string) => (origin = id) }
  const code = `${viewerRequestCode(SECRET, ["/index.html", "/favicon.svg"])}; return request`
  new Function("event", "cf", code)({ request, viewer: { ip: "203.0.113.7" } }, cf)
  return { ...request, origin }
}

const routes = app.openAPIRegistry.definitions.flatMap((one) => (one.type === "route" ? [one.route] : []))
const onlyStreams = (content: object) => "text/event-stream" in content && !("application/json" in content)
const exampleOf = (path: string) => path.replace(/\{\w+\}|:\w+|\*/g, "run_01abc")

describe("the way through the Router", () => {
  it("leads sockets to API Gateway, with their path as a parameter that no client sets itself", () => {
    const key = { "sec-websocket-key": { value: "x" } }
    const code = `${viewerRequestCode(SECRET, [], { sockets: true })}; return request`
    const led = (uri: string, headers: object) => {
      const query = { path: { value: "/ws/other" }, ticket: { value: "t" } }
      const request = { method: "GET", uri, headers: { ...headers }, querystring: query }
      const chosen: string[] = []
      const cf = { selectRequestOriginById: (id: string) => chosen.push(id) }
      new Function("event", "cf", code)({ request, viewer: { ip: "203.0.113.7" } }, cf)
      return { ...request, chosen }
    }
    for (const uri of ["/ws/ses_1", "/api/v1/ws/ses_1", "/ws", "/agents/t1/events", "/api/v1/teams/t1/events"]) {
      const querystring = { path: { value: uri }, ticket: { value: "t" } }
      const to = { uri: "/live", querystring, headers: { "x-origin-secret": { value: SECRET } }, chosen: ["sockets"] }
      expect(led(uri, key)).toMatchObject(to)
      expect(isSocketPath(uri)).toBe(true)
    }
    // Without WebSocket headers, a team's events are a page.
    expect(led("/agents/t1/events", {})).toMatchObject({ uri: "/agents/t1/events", chosen: [] })
    expect(led("/ws/a/b", key).chosen).toEqual(["studio"])
    expect(atEdge("/ws/ses_1").origin).toBe("studio")
  })

  it("leads every stream, and every answer that waits for a run, to the function for streams, and nothing else", () => {
    // Excludes paths that can also answer with JSON: the Accept header selects their function.
    const streamed = routes.filter(({ responses }) =>
      Object.values(responses).some((answer) => "content" in answer && onlyStreams(answer.content ?? {})),
    )
    expect(streamed.length).toBeGreaterThan(2)
    const waiting = routes.filter(({ path }) => ["/generate", "/v1/workflows/run"].includes(path))
    expect(waiting.map(({ path }) => RUN_RESPONSE_PATH.test(path))).toEqual([true, true])
    for (const { method, path } of routes) {
      const there = [...streamed, ...waiting].some((route) => route.path === path)
      const uri = exampleOf(path)
      expect(STREAMED_PATH.test(uri), path).toBe(there)
      expect(atEdge(uri, { method: method.toUpperCase() }).uri).toBe(there ? `${STREAM_PREFIX}${uri}` : uri)
    }
  })

  it("leads a run's events to it where they are asked for as a stream, and a page of them to the api", () => {
    const uri = "/v1/runs/run_01abc/events"
    const asked = (value: string) => atEdge(uri, { headers: { accept: { value } } }).uri
    expect(asked("Text/Event-Stream, */*")).toBe(`${STREAM_PREFIX}${uri}`)
    expect(asked("application/json")).toBe(uri)
  })

  it("leads what the api answers to no page of the studio", () => {
    const studios = (path: string) => STUDIO_PATHS.includes(path) || /^\/(assets\/|:file)/.test(path)
    const answered = endpoints.filter(({ method, path }) => method !== "GET" || !studios(path))
    expect(answered.length).toBeGreaterThan(30)
    for (const { method, path } of answered) {
      expect(atEdge(exampleOf(path), { method }).origin, `${method} ${path}`).toBeUndefined()
    }
  })

  it.each([...STUDIO_PATHS.map(exampleOf), "/elsewhere", "/healthy", "/v1.html", "/statuses/a.b", "/..%2fv1"])(
    "leads whoever looks at %s to the studio's page, and tells the store of it nothing about them",
    (uri) => {
      for (const method of ["GET", "HEAD"]) {
        const headers = { authorization: { value: "Bearer x" }, accept: { value: "text/event-stream" } }
        expect(atEdge(uri, { method, headers })).toEqual({
          ...{ method, uri: "/index.html", headers: { accept: { value: "text/event-stream" } } },
          ...{ querystring: {}, cookies: {}, origin: STUDIO_ORIGIN },
        })
      }
      expect(atEdge(uri, { method: "POST" })).toMatchObject({ uri, headers: { "x-origin-secret": { value: SECRET } } })
    },
  )

  it("leads to the studio's own files by their names", () => {
    for (const uri of ["/index.html", "/favicon.svg"]) expect(atEdge(uri)).toMatchObject({ uri, origin: STUDIO_ORIGIN })
  })

  it("adds the secret and the caller's address, whatever the caller says they are", () => {
    const said = { "x-origin-secret": { value: "guessed" }, "x-viewer-address": { value: "127.0.0.1" } }
    expect(atEdge("/health", { headers: said }).headers).toEqual({
      "x-origin-secret": { value: SECRET },
      "x-viewer-address": { value: "203.0.113.7" },
    })
  })
})

it("leaves no token of a path to the log", () => {
  const secret = endpoints.filter(({ path }) => /:token\b/.test(path))
  expect(secret.length).toBeGreaterThan(0)
  for (const { path } of secret) {
    expect(pathWithoutSecrets(path.replace(":token", "the-token"))).toBe(path.replace(":token", "…"))
  }
})
