import { machineProxy } from "@switchyard/runner/network/machine-proxy"
import { describe, expect, it } from "vitest"

describe("the machine's proxy", () => {
  const env = { HTTPS_PROXY: "http://tls.proxy:3128", http_proxy: "plain.proxy:8080", NO_PROXY: "" }
  const to = (host: string, port = 443) => machineProxy(env, { host, port })?.host

  it("is the one of the port's protocol", () => {
    expect([to("example.org"), to("example.org", 80), to("example.org", 8443)]).toEqual([
      "tls.proxy:3128",
      "plain.proxy:8080",
      "tls.proxy:3128",
    ])
    expect(machineProxy({}, { host: "example.org", port: 443 })).toBeUndefined()
    expect(machineProxy({ ALL_PROXY: "socks5://proxy" }, { host: "example.org", port: 443 })).toBeUndefined()
  })

  it.each([
    ["corp.example", ["corp.example", "a.corp.example"], ["evilcorp.example", "example"]],
    [".corp.example", ["a.corp.example"], ["evilcorp.example"]],
    ["*.corp.example,10.0.0.1", ["a.corp.example", "10.0.0.1"], ["10.0.0.10"]],
    ["*", ["anything"], []],
    ["corp.example:8443", [], ["corp.example"]],
  ])("is passed over for what NO_PROXY has as %s", (exceptions, direct, proxied) => {
    const at = (host: string) => machineProxy({ ...env, NO_PROXY: exceptions }, { host, port: 443 })
    expect(direct.map(at)).toEqual(direct.map(() => undefined))
    for (const host of proxied) expect(at(host)).toBeDefined()
  })
})
