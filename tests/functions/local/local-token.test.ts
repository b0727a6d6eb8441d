import { spawnSync } from "node:child_process"
import { chmod, mkdtemp, readdir, readFile, stat } from "node:fs/promises"
import { createServer, request } from "node:http"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { switchyard } from "../../cli/spawn.ts"
import { needs } from "../../needs.ts"
import { removeFolder } from "../../remove-folder.ts"
import { npmStart } from "./npm-start.ts"

const AGENT_USER = "nobody"
const isRoot = process.getuid?.() === 0

let folder: string
/** Environment variables that place the server's data and configuration in `folder`. */
let kept: Record<string, string>
beforeAll(async () => {
  folder = await mkdtemp("/var/tmp/switchyard-token-")
  kept = { SWITCHYARD_DATA: join(folder, "data"), XDG_CONFIG_HOME: join(folder, "config") }
})
afterAll(() => removeFolder(folder, { kill: false }))

/** Starts a server and returns it with the address that it printed and the token in that address. */
async function signedIn(env: Record<string, string> = {}) {
  const server = await npmStart({ ...kept, SWITCHYARD_AGENT_USER: AGENT_USER, ...env })
  // Only browsers resolve the name in the first address, so the test uses the second.
  const [, url = "", token = ""] = await server.printed(/^or, .* at (http\S+?)\/#token=(sy_\w+)\n/m)
  return { server, url, token, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

async function ask(url: string, token: string, path: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...init.headers }
  const response = await fetch(`${url}${path}`, { ...init, headers })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

/** Logs in with this Host header, as a browser does, and resolves to the cookie. */
function loginCookieAt(url: string, host: string, token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host, "content-type": "application/json" }
    const asked = request(`${url}/login`, { method: "POST", headers }, (answer) => {
      answer.resume()
      resolve(answer.headers["set-cookie"]?.[0] ?? "")
    })
    asked.on("error", reject)
    asked.end(JSON.stringify({ token }))
  })
}

const cli = (args: string[], url: string) =>
  switchyard(args, { url, env: { XDG_CONFIG_HOME: kept.XDG_CONFIG_HOME ?? "" } })

describe("npm start where agents run as another user", () => {
  it("prints one address that signs a browser in, to what was made without login", async () => {
    await using open = await npmStart(kept)
    const [, before = ""] = await open.printed(/listening on (\S+)\n/)
    const json = { path: "a.txt", content: "made before", workspace_id: "mine" }
    await ask(before, "", "/workspace/file", { method: "PUT", body: JSON.stringify(json) })
    expect(open.output()).not.toContain("token")
    await open.stop()

    await using started = await signedIn()
    const { server, url, token } = started
    expect(server.output()).not.toContain("admin token")
    const login = await ask(url, "", "/login", { method: "POST", body: JSON.stringify({ token }) })
    expect(login).toMatchObject({ status: 200, body: { owner: "local", scopes: ["read", "run", "admin"] } })
    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? ""
    const file = await fetch(`${url}/workspace/file?workspace_id=mine&path=a.txt`, { headers: { cookie } })
    expect(await file.json()).toMatchObject({ content: "made before" })
    expect((await ask(url, "none", "/v1/me")).status).toBe(401)
  })

  it("prints a name of its own, to which no browser sends a login's cookie for another program", async () => {
    await using started = await signedIn()
    const { server, url, token } = started
    const [, host = ""] = await server.printed(/Sign in at http:\/\/([\da-f]{16}\.localhost:\d+)\/#token=/)
    expect(new URL(`http://${host}`).port).toBe(new URL(url).port)
    const cookie = await loginCookieAt(url, host, token)
    expect(cookie).toMatch(/^switchyard=\S+; .*HttpOnly; SameSite=Strict$/)
    expect(cookie).not.toMatch(/domain/i)
  })

  it("has the same token later, and another once that is revoked", async () => {
    await using first = await signedIn()
    await first.server.stop()
    await using second = await signedIn()
    expect(second.token).toBe(first.token)
    const { body } = await ask(second.url, second.token, "/v1/me")
    await ask(second.url, second.token, `/v1/tokens/${body.token_id}`, { method: "DELETE" })
    expect((await ask(second.url, second.token, "/v1/me")).status).toBe(401)
    await second.server.stop()
    await using third = await signedIn()
    expect(third.token).not.toBe(first.token)
    expect((await ask(third.url, third.token, "/v1/me")).body).toMatchObject({ owner: "local" })
    expect((await ask(third.url, first.token, "/v1/me")).status).toBe(401)
  })

  it("keeps the token for its own user, and gives it to that user's command line while it runs", async () => {
    await using started = await signedIn()
    const { url, token, server } = started
    const servers = join(folder, "config", "switchyard", "servers")
    const name = `localhost-${new URL(url).port}.json`
    for (const file of [join(folder, "data", "local.token"), join(servers, name)]) {
      expect(await readFile(file, "utf8")).toContain(token)
      expect((await stat(file)).mode & 0o777).toBe(0o600)
    }
    expect(await cli(["whoami"], url)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("local  read,run,admin"),
    })
    expect((await cli(["whoami"], url.replace("127.0.0.1", "localhost"))).code).toBe(0)
    expect((await cli(["whoami", "--token", "another"], url)).stderr).toContain("token is required")
    const elsewhere = { XDG_CONFIG_HOME: join(folder, "nothing") }
    expect((await switchyard(["whoami"], { url, env: elsewhere })).stderr).toContain("token is required")
    await server.stop()
    expect(await readdir(servers)).not.toContain(name)
  })

  it("gives the command line nothing for what listens there after it was killed", async () => {
    await using started = await signedIn()
    const { url, server } = started
    expect((await cli(["whoami"], url)).code).toBe(0)
    server.child.kill("SIGKILL")
    await server.ended
    const heard: (string | undefined)[] = []
    const other = createServer((request, response) => {
      heard.push(request.headers.authorization)
      response
        .writeHead(401, { "content-type": "application/json" })
        .end('{"error":{"code":"unauthorized","message":"No."}}')
    })
    await new Promise<void>((resolve) => other.listen(Number(new URL(url).port), "127.0.0.1", resolve))
    expect((await cli(["whoami"], url)).stderr).toContain("No.")
    expect(heard).toEqual([undefined])
    await new Promise((resolve) => other.close(resolve))
  })

  it(
    "keeps it from the agents' user",
    needs(isRoot ? undefined : "only root can become the agents' user"),
    async () => {
      await using started = await signedIn()
      const servers = join(folder, "config", "switchyard", "servers")
      const name = `localhost-${new URL(started.url).port}.json`
      // The file's own permissions keep other users out, even if they can enter the folders.
      for (const above of [folder, join(folder, "data"), join(folder, "config"), dirname(servers), servers]) {
        await chmod(above, 0o755)
      }
      for (const file of [join(folder, "data", "local.token"), join(servers, name)]) {
        const read = spawnSync("cat", [file], { uid: 65534, gid: 65534, encoding: "utf8" })
        expect([read.status, read.stdout]).toEqual([1, ""])
        expect(read.stderr).toContain("Permission denied")
      }
    },
  )

  it("is refused without login, and says why", async () => {
    await using server = await npmStart({ SWITCHYARD_AGENT_USER: AGENT_USER, AUTH_MODE: "open" })
    await server.ended
    expect(server.child.exitCode).toBe(1)
    expect(server.output()).toContain("an agent running as SWITCHYARD_AGENT_USER could use this server as you")
  })
})

describe("npm start on an address that others reach", () => {
  it("prints the address of this machine, and says what browsers elsewhere need", async () => {
    await using started = await signedIn({ HOST: "0.0.0.0", SWITCHYARD_AGENT_USER: "" })
    expect(started.server.output()).toMatch(/listening on http:\/\/0\.0\.0\.0:/)
    expect(started.url).toMatch(/^http:\/\/127\.0\.0\.1:/)
    expect((await ask(started.url, started.token, "/v1/me")).body).toMatchObject({ owner: "local" })
    await started.server.printed(/set PUBLIC_URL/)
  })

  it("prints the public one where there is one", async () => {
    const env = { ...kept, HOST: "0.0.0.0", PUBLIC_URL: "https://studio.example" }
    await using server = await npmStart(env)
    await server.printed(/Sign in at https:\/\/studio\.example\/#token=sy_\w+\n/)
    expect(server.output()).not.toContain("PUBLIC_URL")
  })
})
