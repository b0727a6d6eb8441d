import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import { startUpstream } from "../runner/gateway/upstream.ts"
import { needsSandbox } from "../runner/sandbox/confined.ts"
import { ended, env, isRoot, openPassable, scripted, tried, worktreeOf } from "./agent.ts"

// Attempts by an agent's program to connect to servers from a sandbox.

const KEY = "sk-REAL-CANARY-KEY"

/** Prints the program's results: from its model, its tools, the machine, and its proxy. */
const attempts = (port: number) => `
const told = require("fs").readFileSync(process.env.CODEX_HOME + "/config.toml", "utf8") + JSON.stringify([process.env, process.argv])
const token = /swy-[\\w-]+/.exec(told)[0]
const addresses = [...new Set(told.match(/http:\\/\\/127\\.0\\.0\\.1:\\d+/g))].filter((url) => !url.endsWith(":3128"))
const get = (url, headers) => fetch(url, { headers }).then(({ status }) => status, ({ cause }) => cause.code ?? cause.message)
const { request } = require("http")
const tunnel = (path) => new Promise((resolve) => {
  request({ host: "127.0.0.1", port: 3128, method: "CONNECT", path }).on("connect", ({ statusCode }) => resolve(statusCode)).on("error", ({ code }) => resolve(code)).end()
})
const sockets = () => { try { return require("fs").readdirSync("/run/switchyard").length } catch (error) { return error.code } }
// Past the proxy, as a program does that wants no proxy's answer.
const metadata = (address) => new Promise((resolve) => {
  request("http://" + address, { agent: false }, ({ statusCode }) => resolve(statusCode)).on("error", ({ code }) => resolve(code)).end()
})
const planted = () => { try { return require("fs").writeFileSync("/run/switchyard/80", "") } catch (error) { return error.code } }
Promise.all([
  Promise.all(addresses.map((url) => get(url + "/v1/models", { authorization: "Bearer " + token }))).then((all) => all.sort().join()),
  get("http://127.0.0.1:${port}/"), get("http://[::1]:${port}/"), tunnel("127.0.0.1:${port}"), tunnel("localhost:${port}"),
  tunnel("[::ffff:127.0.0.1]:${port}"), tunnel("169.254.169.254:80"), tunnel("169.254.170.2:80"), tunnel("[fd00:ec2::254]:80"), tunnel("2852039166:80"), tunnel("attacker.example:443"), tunnel("github.com:22"), tunnel("x:y"),
  sockets(), planted(), metadata("169.254.169.254/latest/meta-data/"), metadata("169.254.170.2/v2/credentials"), metadata("[fd00:ec2::254]/latest/"),
]).then((all) => { console.log(JSON.stringify(all)); process.exit() })`

describe("an agent in a sandbox", needsSandbox, () => {
  it("reaches its model and its tools, and no server of the machine or of the outside that isn't listed", async () => {
    const machine = createServer((_, response) => response.end("of the machine"))
    await new Promise<void>((resolve) => machine.listen(0, "127.0.0.1", resolve))
    const { port } = machine.address() as AddressInfo
    await using upstream = await startUpstream((_, response) => void response.end("{}"))
    await using depot = await openPassable()
    const script = `cat >try.cjs <<'END'\n${attempts(port)}\nEND\nnode try.cjs "$@"`
    const how = { env: { ...env, SWITCHYARD_AGENT_SANDBOX: "require", SWITCHYARD_AGENT_HOSTS: "default" } }
    const runner = depot.start({ programs: [scripted(depot, script)] }, how)
    const account = { api_key: KEY, base_url: upstream.url }
    runner.run(await depot.create({}, null, { cli: "codex" }), 0, account)
    expect([(await ended(depot, 0)).type, runner.stderr()]).toEqual(["run_completed", ""])
    const said = JSON.parse(readFileSync(join(await worktreeOf(depot), "said.txt"), "utf8"))
    // The gateway answers 200. The tools' server knows no models, so it answers 404.
    const reached = "200,404"
    // There is no route to the addresses where clouds serve a machine's credentials.
    const unreachable = Array.from({ length: 3 }, () => "ENETUNREACH")
    const refused = Array.from({ length: 9 }, () => 403)
    expect(said).toEqual([reached, "ECONNREFUSED", "ECONNREFUSED", ...refused, 400, "EACCES", "EROFS", ...unreachable])
    expect([...new Set(upstream.asked.map(({ url }) => url))]).toEqual(["/v1/models"])
    const notices = (await depot.events()).flatMap((event) => (event.type === "agent_notice" ? [event.text] : []))
    expect(notices.filter((text) => /access to attacker\.example was blocked\./.test(text))).toHaveLength(1)
    machine.close()
  })
})

describe("an agent that is a user of its own", needs(isRoot ? undefined : "this user isn't root"), () => {
  it("is led to listed hosts by a proxy, which says which others its programs asked for", async () => {
    await using depot = await openPassable()
    const asking = `git ls-remote https://attacker.example/x.git; echo $NO_PROXY; [ "$HTTP_PROXY" = "$https_proxy" ] && echo $HTTP_PROXY`
    const said = await tried(depot, asking)
    expect(said).toContain("403")
    expect(said).toMatch(/\nlocalhost,127\.0\.0\.1,::1\nhttp:\/\/127\.0\.0\.1:\d+\n$/)
    const notices = (await depot.events()).flatMap((event) => (event.type === "agent_notice" ? [event.text] : []))
    expect(notices.filter((text) => /access to attacker\.example was blocked\./.test(text))).toHaveLength(1)
  })
})
