import { createHostPolicy, hostRefused } from "@switchyard/core/network/host-policy"
import { describe, expect, it } from "vitest"

/** Host names and their addresses. An address resolves to itself, as in the system's resolver. */
const NAMES: Record<string, string[]> = {
  "example.org": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "git.example.internal": ["10.1.2.3"],
  "half.example.org": ["93.184.215.14", "127.0.0.1"],
  "metadata.google.internal": ["169.254.169.254"],
  localhost: ["127.0.0.1", "::1"],
  "nothing.example.org": [],
}

const resolve = async (host: string) => {
  const addresses = NAMES[host] ?? (/^[\d.]+$|:/.test(host) ? [host] : undefined)
  if (!addresses) throw Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" })
  return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
}
const policy = (...allowed: string[]) => createHostPolicy(allowed, resolve)
const refusal = expect.objectContaining({ ...hostRefused(), message: hostRefused().message })

describe("hosts that callers name", () => {
  it.each(["example.org", "EXAMPLE.org.", "93.184.215.14", "[2606:4700::1111]", "8.8.8.8"])(
    "may be public: %s",
    async (host) => {
      expect(await policy().check(host, {})).toBe(true)
    },
  )

  it.each([
    ...["127.0.0.1", "127.1", "127.255.255.254", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001"],
    ...["0", "0.0.0.0", "localhost", "localhost.", "LOCALHOST", "１２７.0.0.1", "127。0。0。1", "%31%32%37.0.0.1"],
    ...["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "169.254.169.254", "0xa9fea9fe"],
    ...["192.0.0.8", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"],
    ...["[::1]", "::1", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:a00:1]", "[::127.0.0.1]"],
    ...["[fe80::1]", "fe80::1%eth0", "[fc00::1]", "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[64:ff9b::7f00:1]"],
    ...["[2002:7f00:1::]", "[2001::1]", "[2001:db8::1]"],
    ...["git.example.internal", "half.example.org", "metadata.google.internal"],
    ...["missing.example.org", "nothing.example.org", "", ".", "user@127.0.0.1", "127.0.0.1:80"],
  ])("are refused if they are anything else, all in the same way: %s", async (host) => {
    await expect(policy().check(host, {})).rejects.toEqual(refusal)
    const lookup = policy().lookupFor(host)
    const failed = await new Promise((resolve) => lookup?.(host, { all: true }, (error) => resolve(error)))
    expect(failed).toEqual(refusal)
  })

  it.each([
    [["git.example.internal"], "GIT.example.internal."],
    [["*.example.internal"], "git.example.internal"],
    [["10.1.0.0/16"], "git.example.internal"],
    [["10.1.2.3"], "git.example.internal"],
    [["0xa010203"], "10.1.2.3"],
    [["10.0.0.0/8", "fc00::/7"], "[fc00::1]"],
  ])("may be the exceptions of %j, such as %s, which isn't public for that", async (allowed, host) => {
    expect(await policy(...allowed).check(host, {})).toBe(false)
    expect(await policy(...allowed).check("example.org", {})).toBe(true)
    await expect(policy(...allowed).check("127.0.0.1", {})).rejects.toEqual(refusal)
    await expect(policy("example.internal").check(host, {})).rejects.toEqual(refusal)
  })

  it("may be any where any is allowed, also one that only a proxy knows", async () => {
    expect([policy("*").allowsAny, policy().allowsAny]).toEqual([true, false])
    for (const host of ["127.0.0.1", "git.example.internal", "missing.example.org"])
      expect(await policy("*").check(host, {}), host).toBe(true)
    expect(await policy("0.0.0.0/0", "::/0").check("git.example.internal", {})).toBe(false)
  })

  it.each(["169.254.169.254", "0xa9fea9fe", "metadata.google.internal", "[fe80::1]", "[fd00:ec2::254]"])(
    "may be a metadata service only if it is listed, not where any is allowed: %s",
    async (host) => {
      for (const allowed of [["*"], ["0.0.0.0/0", "::/0"]]) {
        await expect(policy(...allowed).check(host, {})).rejects.toEqual(refusal)
        const lookup = policy(...allowed).lookupFor(host)
        const failed = await new Promise((resolve) => lookup(host, { all: true }, (error) => resolve(error)))
        expect(failed).toEqual(refusal)
      }
      expect(await policy("169.254.0.0/16", "fe80::/10", "fd00::/8", "*").check(host, {})).toBe(true)
    },
  )

  it("are connected to at an address that was checked", async () => {
    let lookups = 0
    const rebound = createHostPolicy([], async () => [
      { address: lookups++ === 0 ? "93.184.215.14" : "127.0.0.1", family: 4 },
    ])
    expect(await rebound.check("rebound.example.org", {})).toBe(true)
    const lookup = rebound.lookupFor("rebound.example.org")
    const failed = await new Promise((resolve) => lookup?.("rebound.example.org", {}, (error) => resolve(error)))
    expect(failed).toEqual(refusal)
  })

  it("are listed as names, addresses and ranges", () => {
    expect(() => createHostPolicy(["10.0.0.0/40"])).toThrow()
    expect(() => createHostPolicy(["git.example/24"])).toThrow()
  })
})
