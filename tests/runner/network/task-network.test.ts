import { execFile } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { readAgentHosts } from "@switchyard/runner/network/agent-hosts"
import { openNetwork, openTaskNetwork } from "@switchyard/runner/network/task-network"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { confinement, needsSandbox } from "../sandbox/confined.ts"

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

const close = (server: Server) => new Promise((resolve) => server.close(resolve))

/** A server that sends everything back once its client has finished sending. */
function echo(socket: Socket): void {
  const chunks: Buffer[] = []
  socket.on("data", (chunk) => chunks.push(chunk))
  socket.on("end", () => socket.end(Buffer.concat(chunks)))
  socket.on("error", () => {})
}

describe("the network of a sandbox", needsSandbox, () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync("/var/tmp/network-")
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Runs a script with Node in a sandbox with this network access. Resolves to its output and the refused hosts. */
  async function run(
    script: string,
    { addresses = [], setting = "none", env = {} }: { addresses?: string[]; setting?: string; env?: NodeJS.ProcessEnv },
  ): Promise<{ said: string; refused: string[] }> {
    const refused: string[] = []
    const hosts = readAgentHosts(setting)
    if (!hosts) throw new Error("It is the machine's network.")
    const about = { setting: hosts, own: {}, user: undefined, env, refused: (host: string) => void refused.push(host) }
    await using network = await openTaskNetwork({ ...about, addresses })
    writeFileSync(join(folder, "script.mjs"), script)
    const readable = [process.execPath, ...(process.env.PATH ?? "").split(":")]
    const place = { cwd: folder, writable: [folder], readable, ...(network.ways && { network: network.ways }) }
    const program = confinement.confine(place, { file: process.execPath, args: ["script.mjs"] })
    const { stdout } = await promisify(execFile)(program.file, program.args, {
      env: { PATH: process.env.PATH, ...network.env },
      maxBuffer: 1e8,
    })
    return { said: stdout.trim(), refused }
  }

  it("leads to the runner's addresses, whole and both ways, for many at once", async () => {
    const server = createServer({ allowHalfOpen: true }, echo)
    const port = await listening(server)
    const bytes = randomBytes(3_000_000)
    writeFileSync(join(folder, "bytes"), bytes)
    const script = `import { connect } from "node:net"; import { readFileSync } from "node:fs"; import { createHash } from "node:crypto"
      const bytes = readFileSync("bytes")
      const digests = await Promise.all(Array.from({ length: 8 }, () => new Promise((resolve, reject) => {
        const socket = connect({ port: ${port}, host: "127.0.0.1", allowHalfOpen: true }), hash = createHash("sha256")
        socket.on("data", (chunk) => hash.update(chunk)).on("end", () => resolve(hash.digest("hex"))).on("error", reject)
        socket.end(bytes)
      })))
      console.log([...new Set(digests)].join())`
    const { said } = await run(script, { addresses: [`http://127.0.0.1:${port}/any`] })
    expect(said).toBe(createHash("sha256").update(bytes).digest("hex"))
    await close(server)
  })

  it("leads nowhere else: not to servers of the machine, nor to its abstract sockets, nor to the outside", async () => {
    const server = createServer(echo)
    const port = await listening(server)
    const abstract = createServer(echo)
    await new Promise<void>((resolve) => abstract.listen(`\0switchyard-test-${process.pid}`, resolve))
    const script = `import { connect } from "node:net"; import { networkInterfaces } from "node:os"
      const tried = (options) => new Promise((resolve) => {
        const socket = connect(options).on("connect", () => resolve("connected")).on("error", ({ code }) => resolve(code))
        setTimeout(() => (socket.destroy(), resolve("nothing")), 3000).unref()
      })
      console.log(await tried({ port: ${port}, host: "127.0.0.1" }), await tried({ path: "\\0switchyard-test-${process.pid}" }),
        await tried({ port: 53, host: "1.1.1.1" }), await tried({ port: 80, host: "169.254.169.254" }), Object.keys(networkInterfaces()).join())`
    const { said } = await run(script, {})
    expect(said).toBe("ECONNREFUSED ECONNREFUSED ENETUNREACH ENETUNREACH lo")
    await Promise.all([close(server), close(abstract)])
  })

  it("has a proxy to the hosts that are listed, by tunnels and by plain HTTP, and says which others were asked for", async () => {
    const asked: string[] = []
    const server = createHttpServer((request, response) => {
      asked.push(`${request.method} ${request.headers.host} ${request.url} ${request.headers["proxy-connection"]}`)
      request.pipe(response)
    })
    const port = await listening(server)
    const script = `import { request } from "node:http"; import { connect } from "node:net"
      const proxy = new URL(process.env.HTTPS_PROXY)
      const plain = (url, body) => new Promise((resolve) => {
        const asked = request({ host: proxy.hostname, port: proxy.port, method: body ? "POST" : "GET", path: url, agent: false })
        asked.on("response", async (answer) => resolve(answer.statusCode + " " + (await answer.toArray()).join("")))
        asked.on("error", ({ code }) => resolve(code)).end(body)
      })
      const tunnel = (path) => new Promise((resolve) => {
        const asked = request({ host: proxy.hostname, port: proxy.port, method: "CONNECT", path, agent: false })
        asked.on("connect", ({ statusCode }, socket) => {
          socket.on("data", (chunk) => resolve(statusCode + " " + String(chunk).split("\\r\\n")[0]))
          if (statusCode === 200) socket.write("GET /tunnel HTTP/1.1\\r\\nhost: through\\r\\nconnection: close\\r\\n\\r\\n")
          else resolve(String(statusCode))
        }).end()
      })
      console.log(JSON.stringify([
        await plain("http://localhost:${port}/a?b=c", "hello"), await tunnel("localhost:${port}"),
        await plain("http://127.0.0.1:${port}/other"), await tunnel("example.org:443"), await tunnel("localhost:22"),
        await plain("http://user:pw@localhost:${port}/x"), await plain("/no-proxy"), await plain("ftp://localhost:${port}/x"),
        (await fetch("http://localhost:${port}/fetch").catch(({ cause }) => cause)).code,
      ]))`
    const { said, refused } = await run(script, { setting: `localhost:${port}` })
    expect(JSON.parse(said)).toEqual([
      ...["200 hello", "200 HTTP/1.1 200 OK", expect.stringMatching(/^403 Agents may not access 127\.0\.0\.1 /)],
      ...["403", "403", "400 This server is a proxy.", "400 This server is a proxy.", "400 This server is a proxy."],
      // The program's own loopback isn't proxied.
      "ECONNREFUSED",
    ])
    expect(asked).toEqual([`POST localhost:${port} /a?b=c undefined`, "GET through /tunnel undefined"])
    expect(refused).toEqual(["127.0.0.1", "example.org", "localhost"])
    await close(server)
  })

  it("uses the machine's proxy, with its password, and tells the programs neither", async () => {
    const asked: string[] = []
    const machine = createHttpServer()
    machine.on("connect", ({ url, headers }, socket) => {
      asked.push(`${url} ${headers["proxy-authorization"]}`)
      socket.end("HTTP/1.1 200 OK\r\n\r\nfrom afar")
    })
    const port = await listening(machine)
    const script = `import { request } from "node:http"
      const proxy = new URL(process.env.HTTPS_PROXY)
      const asked = request({ host: proxy.hostname, port: proxy.port, method: "CONNECT", path: "registry.npmjs.org:443", agent: false })
      asked.on("connect", async (_, socket, head) => console.log(head + (await socket.toArray()).join(""), JSON.stringify(process.env).includes("secret"))).end()`
    const env = { HTTPS_PROXY: `http://me:secret@127.0.0.1:${port}` }
    expect((await run(script, { setting: "default", env })).said).toBe("from afar false")
    expect(asked).toEqual([`registry.npmjs.org:443 Basic ${Buffer.from("me:secret").toString("base64")}`])
    await close(machine)
  })

  it("ends with its task, and so does what is on the way", async () => {
    const server = createServer(
      (socket) =>
        void socket
          .on("error", () => {})
          .resume()
          .write("hello"),
    )
    const port = await listening(server)
    const gone = new Promise((resolve) => server.once("connection", (socket) => socket.once("close", resolve)))
    const script = `import { connect } from "node:net"
      connect(${port}, "127.0.0.1").once("data", (data) => (console.log(String(data)), process.exit()))`
    expect((await run(script, { addresses: [`http://127.0.0.1:${port}`] })).said).toBe("hello")
    await gone
    await close(server)
  })
})

describe("the network of other users without a sandbox", () => {
  const none = { means: undefined }
  const setting = readAgentHosts("default")
  if (!setting) throw new Error("It is the machine's network.")
  const about = { setting, own: {}, addresses: [], env: {}, refused: () => {} }
  const user = { uid: 65534, gid: 65534 }

  it("is the machine's, and has a proxy to the hosts that are listed, which programs find by their variables", async () => {
    const asked: string[] = []
    const machine = createHttpServer((request, response) => response.end(`${request.headers.host} from afar`))
    machine.on("connect", ({ url }, socket) => {
      asked.push(String(url))
      socket.write("HTTP/1.1 200 OK\r\n\r\n")
      machine.emit("connection", socket)
    })
    const env = { HTTP_PROXY: `http://127.0.0.1:${await listening(machine)}` }
    const refused: string[] = []
    const network = await openNetwork(none, { ...about, user, env, refused: (host) => void refused.push(host) })
    expect(network?.ways).toBeUndefined()
    const script = `for (const host of ["registry.npmjs.org", "attacker.example"]) {
      const said = (answer) => answer.text()
      console.log(await fetch("http://" + host + "/").then(said, ({ cause }) => cause.cause.message))
    }`
    const args = ["--input-type=module", "--eval", script]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...network?.env } })
    expect(stdout.split("\n")).toEqual(["registry.npmjs.org from afar", expect.stringContaining("403"), ""])
    expect([asked, refused]).toEqual([["registry.npmjs.org:80"], ["attacker.example"]])
    await network?.[Symbol.asyncDispose]()
    // The proxy ended with its task.
    await expect(fetch(network?.env.HTTP_PROXY ?? "")).rejects.toThrow("fetch failed")
    await close(machine)
  })

  it("is not there for programs of the runner's own user, who have the machine's as it is", async () => {
    expect(await openNetwork(none, { ...about, user: undefined })).toBeUndefined()
  })
})
