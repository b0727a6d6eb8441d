import type { LookupFunction } from "node:net"
import { promisify } from "node:util"
import { createHostPolicy } from "@switchyard/core/network/host-policy"
import { createAgentHosts, DEFAULT_HOSTS, type OwnHosts, readAgentHosts } from "@switchyard/runner/network/agent-hosts"
import { describe, expect, it } from "vitest"

function hostsOf(setting: string | undefined, own: OwnHosts = {}) {
  const read = readAgentHosts(setting)
  if (!read) throw new Error("It is the machine's network.")
  return createAgentHosts(read, own)
}

describe("the hosts that agents may reach", () => {
  it("are registries and forges by default, at their usual ports", () => {
    for (const setting of [undefined, "", " ", "default"]) {
      const { allows } = hostsOf(setting)
      for (const host of ["registry.npmjs.org", "github.com", "raw.githubusercontent.com", "REGISTRY.npmjs.org"]) {
        expect([allows(host, 443), allows(host, 80), allows(host, 22)]).toEqual([true, true, false])
      }
      for (const host of [
        "example.org",
        "githubusercontent.com",
        "evilgithub.com",
        "github.com.example.org",
        "127.0.0.1",
      ])
        expect(allows(host, 443)).toBe(false)
    }
    expect(DEFAULT_HOSTS.length).toBeGreaterThan(20)
  })

  it("are those of the setting alone, unless it has the others, too", () => {
    const { allows } = hostsOf("npm.corp.example:8443, *.build.example 10.1.2.3 [fd00::1]:8080")
    expect(allows("npm.corp.example", 8443)).toBe(true)
    expect(allows("npm.corp.example", 443)).toBe(false)
    expect(allows("a.b.build.example", 443)).toBe(true)
    expect(allows("build.example", 443)).toBe(false)
    expect([allows("10.1.2.3", 80), allows("fd00::1", 8080), allows("[fd00::1]", 8080)]).toEqual([true, true, true])
    expect(allows("github.com", 443)).toBe(false)
    expect(hostsOf("npm.corp.example,default").allows("github.com", 443)).toBe(true)
  })

  it("are none, all public ones, or the machine's network, by a word", async () => {
    expect(hostsOf("none").allows("github.com", 443)).toBe(false)
    const { allows, policy } = hostsOf("*")
    expect([allows("example.org", 443), allows("example.org", 25)]).toEqual([true, false])
    await expect(policy.check("127.0.0.1", {})).rejects.toThrow("may not connect")
    await expect(policy.check("169.254.169.254", {})).rejects.toThrow("may not connect")
    expect(readAgentHosts("machine")).toBeUndefined()
    expect(() => readAgentHosts("machine,github.com")).toThrow("can't combine `machine` with other entries")
  })

  it("may be private where the operator names them, and nowhere else", async () => {
    const { policy } = hostsOf("10.1.2.3")
    expect(await policy.check("10.1.2.3", {})).toBe(false)
    await expect(policy.check("10.1.2.4", {})).rejects.toThrow("may not connect")
    // A host that only the program asks for must be public, because the operator didn't name it.
    const { allows, policy: own } = hostsOf("none", { asked: ["127.0.0.1:8080"] })
    expect(allows("127.0.0.1", 8080)).toBe(true)
    await expect(own.check("127.0.0.1", {})).rejects.toThrow("may not connect")
    const chosen = { host: "10.1.2.3:8080", policy: createHostPolicy(["10.0.0.0/8"]) }
    const { policy: ofAccount } = hostsOf("none", { chosen })
    expect(await ofAccount.check("10.1.2.3", {})).toBe(false)
    await expect(ofAccount.check("10.1.2.4", {})).rejects.toThrow("may not connect")
  })

  it("stay where accounts may be, wherever an account's name leads later", async () => {
    let address = "93.184.215.14"
    const accounts = createHostPolicy([], async () => [{ address, family: 4 }])
    const { allows, policy } = hostsOf("none", { chosen: { host: "models.example:8443", policy: accounts } })
    expect([allows("models.example", 8443), allows("models.example", 443)]).toEqual([true, false])
    expect(await policy.check("models.example", {})).toBe(true)
    address = "169.254.169.254"
    await expect(policy.check("models.example", {})).rejects.toThrow("may not connect")
    const lookUp = promisify(policy.lookupFor("models.example") as LookupFunction)
    await expect(lookUp("models.example", {})).rejects.toThrow("may not connect")
  })

  it.each(["https://github.com", "a/b", "user@host", "a?b", "a.*.b", "-:x"])("have no entry like %s", (entry) => {
    expect(() => readAgentHosts(entry)).toThrow("has an invalid host")
  })
})
