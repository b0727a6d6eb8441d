import { agentEnvironment } from "@switchyard/runner/agents/agent-environment"
import { withoutProxyCredentials } from "@switchyard/runner/agents/proxy-environment"
import { describe, expect, it } from "vitest"

const seen = (proxy: string) => withoutProxyCredentials({ HTTPS_PROXY: proxy }).HTTPS_PROXY

describe("the proxy in the environment of an agent", () => {
  it.each([
    ["http://proxy.example:3128", "http://proxy.example:3128"],
    ["http://proxy.example:80/", "http://proxy.example:80"],
    ["http://ada:secret@proxy.example:3128", "http://proxy.example:3128"],
    ["http://ada:secret@proxy.example:80", "http://proxy.example:80"],
    ["https://secret@proxy.example", "https://proxy.example"],
    ["http://ada:sec@ret@proxy.example:1", "http://proxy.example:1"],
    ["http://ada:secret@[::1]:3128/", "http://[::1]:3128"],
    ["socks5h://ada:secret@proxy.example:1080", "socks5h://proxy.example:1080"],
    ["ada:secret@proxy.example:3128", "proxy.example:3128"],
    ["http:ada:secret@proxy.example:3128", "proxy.example:3128"],
    ["proxy.example:3128", "proxy.example:3128"],
  ])("%s is %s", (proxy, expected) => expect(seen(proxy)).toBe(expected))

  it.each([
    "http://ada:sec/ret@proxy.example",
    "http://ada:1/secret@proxy.example",
    "http://ada:1\\secret@proxy.example",
    "http://ada:1?secret@proxy.example",
    "http://ada:1#secret@proxy.example",
    "http://proxy.example:port",
    "socks5://",
    "what is this",
  ])("%s is left out", (proxy) => expect(seen(proxy)).toBeUndefined())

  it("has no credentials under any of its names, and other variables stay as they are", () => {
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]
    const host = { ...Object.fromEntries(names.map((name) => [name, "http://ada:secret@proxy"])), NO_PROXY: "a@b,c" }
    const environment = agentEnvironment(host, { home: "/h", temporary: "/t", programs: [] })
    for (const name of names) expect(environment[name]).toBe("http://proxy")
    expect(environment.NO_PROXY).toBe("a@b,c")
  })
})
