import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { openInstallNetwork } from "@switchyard/runner/gate/install-network"
import { whyNotFetched } from "@switchyard/runner/gate/why-not-run"
import { HOST_LISTS, readAgentHosts } from "@switchyard/runner/network/agent-hosts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { confinement, needsSandbox } from "../sandbox/confined.ts"

/** Prints the proxy's answer for each host, and the registry's answer. */
const SCRIPT = `
const { request } = require("node:http")
const [registry, ...hosts] = process.argv.slice(2)
const tunnel = (path) => new Promise((resolve) => {
  request({ host: "127.0.0.1", port: 3128, method: "CONNECT", path })
    .on("connect", ({ statusCode }) => resolve(statusCode))
    .on("error", ({ code }) => resolve(code))
    .end()
})
const get = () => new Promise((resolve) => {
  request(registry, ({ statusCode }) => resolve(statusCode)).on("error", ({ code }) => resolve(code)).end()
})
Promise.all([get(), ...hosts.map(tunnel)]).then((all) => { console.log(all.join()); process.exit() })
`

describe("the network of an installation", needsSandbox, () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync("/var/tmp/install-")
    writeFileSync(join(folder, "ask.cjs"), SCRIPT)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  async function ask(registry: string, hosts: string[], { setting }: { setting?: string } = {}) {
    // Nothing listens on this port, so the machine's proxy is unavailable.
    const host = { HTTP_PROXY: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9", npm_config_registry: registry }
    const checkHosts = readAgentHosts(setting, HOST_LISTS.checks)
    await using network = await openInstallNetwork({ confinement, checkHosts, host, user: undefined })
    if (!network) throw new Error("It is the machine's network.")
    const readable = [process.execPath, ...(process.env.PATH ?? "").split(":")]
    const place = { cwd: folder, writable: [folder], readable, ...(network.ways && { network: network.ways }) }
    const program = confinement.confine(place, { file: process.execPath, args: ["ask.cjs", registry, ...hosts] })
    const { stdout } = await promisify(execFile)(program.file, program.args, { env: { PATH: process.env.PATH } })
    return { said: stdout.trim(), refused: [...network.refused].sort(), unreached: [...network.unreached].sort() }
  }

  it("leads to registries of packages and to the machine's own, and nowhere else", async () => {
    await using server = createServer((_, response) => response.end("{}"))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const hosts = ["registry.npmjs.org:443", "github.com:443", "attacker.example:443", "files.pythonhosted.org:443"]
    expect(await ask(own, hosts)).toEqual({
      said: "200,502,403,403,502",
      refused: ["attacker.example", "github.com"],
      unreached: ["files.pythonhosted.org", "registry.npmjs.org"],
    })
    expect(
      await ask("http://npm.example:8081/", ["npm.example:8081", "github.com:443"], { setting: "github.com" }),
    ).toEqual({
      said: expect.stringMatching(/^E\w+,502,502$/),
      refused: [],
      unreached: ["github.com", "npm.example"],
    })
  })
})

describe("packages that could not be had", () => {
  const end = { exitCode: 1, output: "npm error 404", isTooLate: false, filledDisk: false, durationMs: 1 }

  it("are no failure of the project's where a host isn't listed or doesn't answer", () => {
    const away = "The project's packages couldn't be fetched."
    expect(whyNotFetched({ ...end, refused: ["github.com"], unreached: [] })).toContain("Packages from github.com")
    expect(whyNotFetched({ ...end, refused: [], unreached: ["pypi.org"] })).toBe(away)
    expect(whyNotFetched({ ...end, output: "getaddrinfo ENOTFOUND a", refused: [], unreached: [] })).toBe(away)
  })

  it("are one where a registry says that there are none, and none where all came", () => {
    expect(whyNotFetched({ ...end, refused: [], unreached: [] })).toBeUndefined()
    expect(whyNotFetched({ ...end, exitCode: 0, refused: ["fund.example"], unreached: [] })).toBeUndefined()
  })
})
