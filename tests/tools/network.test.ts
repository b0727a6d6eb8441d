import { describe, expect, it } from "vitest"
import { readNetwork, readProxies } from "../../tools/cloud/network.ts"

describe("the settings of an existing network", () => {
  it.each([
    [{ RUNNER_SUBNETS: "subnet-0a1b2c3d" }, "must both be set"],
    [{ RUNNER_SECURITY_GROUP: "sg-0a1b2c3d" }, "must both be set"],
    [
      { RUNNER_SUBNETS: "vpc-0a1b2c3d", RUNNER_SECURITY_GROUP: "sg-0a1b2c3d" },
      'RUNNER_SUBNETS contains "vpc-0a1b2c3d"',
    ],
    [
      { RUNNER_SUBNETS: "subnet-0a1b2c3d", RUNNER_SECURITY_GROUP: "default" },
      'RUNNER_SECURITY_GROUP contains "default". It must be an ID such as sg-',
    ],
    [
      { RUNNER_SUBNETS: Array(17).fill("subnet-0a1b2c3d").join(), RUNNER_SECURITY_GROUP: "sg-0a1b2c3d" },
      "at most 16 subnets",
    ],
  ])("refuse %j", (settings, reason) => {
    expect(() => readNetwork(settings)).toThrow(reason)
  })

  it("are none by default", () => {
    expect(readNetwork({ RUNNER_SUBNETS: "", RUNNER_SECURITY_GROUP: "" })).toBeUndefined()
    expect(readProxies({})).toEqual([])
  })

  it.each([
    [{ RUNNER_HTTPS_PROXY: "proxy.corp:3128" }, "must be a proxy's address such as"],
    [{ RUNNER_HTTP_PROXY: "socks5://proxy.corp" }, "RUNNER_HTTP_PROXY must be a proxy's address"],
    [{ RUNNER_HTTPS_PROXY: "http://ada:secret@proxy.corp:3128" }, "can't contain a password"],
    [{ RUNNER_NO_PROXY: ".corp" }, "RUNNER_NO_PROXY needs"],
  ])("refuse the proxy %j", (settings, reason) => {
    expect(() => readProxies(settings)).toThrow(reason)
  })
})
