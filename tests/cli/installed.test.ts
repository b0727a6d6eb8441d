import { execFile, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { RELEASE, RELEASE_HEADER, worksWith } from "@switchyard/core/release"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer } from "../functions/server.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** Functions that Node 20 lacks. The bundler replaces newer syntax, but not missing functions. */
const NEWER =
  /\b(?:URL\.parse|(?:Map|Object)\.groupBy|Array\.fromAsync|Promise\.(?:try|withResolvers)|RegExp\.escape|Iterator\.from|getBuiltinModule)\(/

/**
 * Node binaries that run the installed command: the one that runs this test, and the machine's own if its version is 20
 * to 23.
 */
const nodes = [process.execPath, "/usr/bin/node", "/usr/local/bin/node"].filter((node) => {
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout ?? ""
  return node === process.execPath || /^v2[0-3]\./.test(version)
})

let folder: string
let main: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "installed-"))
  const archive = spawnSync(process.execPath, [join(ROOT, "tools/pack.ts"), folder], { encoding: "utf8" }).stdout.trim()
  const install = ["install", "--offline", "--no-audit", "--no-fund", "--prefix", folder, archive]
  const { status, stderr } = spawnSync("npm", install, { encoding: "utf8" })
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  main = join(folder, "node_modules/.bin/switchyard")
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs the installed command in an empty folder, outside the repository. */
async function installed(args: string[], { url = "", node = process.execPath } = {}) {
  const env = { PATH: "/usr/bin:/bin", HOME: folder, SWITCHYARD_URL: url }
  return promisify(execFile)(node, [main, ...args], { env, cwd: folder }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

describe("the installed command", () => {
  it.each(nodes)("runs a build on %s", async (node) => {
    const server = await startServer()
    try {
      const out = join(server.folder, "out")
      const { code, stderr } = await installed(["run", "A to-do list", "--out", out], { url: server.url, node })
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(await readdir(out)).toContain("README.md")
      expect((await installed(["status"], { url: server.url, node })).stdout).toContain("completed")
    } finally {
      await server.close()
    }
  })

  it("has nothing in it that Node 20 lacks, and no path of the machine that packed it", async () => {
    const files = await readdir(join(folder, "node_modules/switchyard-cli"), { recursive: true })
    const modules = files.filter((name) => name.endsWith(".mjs"))
    expect(modules.length).toBeGreaterThan(20)
    for (const name of modules) {
      const code = await readFile(join(folder, "node_modules/switchyard-cli", name), "utf8")
      expect(NEWER.exec(code)?.[0], name).toBeUndefined()
      expect(code.includes(ROOT), name).toBe(false)
    }
  })

  it("has the version of the command and of the server", async () => {
    expect((await installed(["--version"])).stdout.trim()).toBe(RELEASE)
    for (const name of ["cli", "functions", "core"]) {
      const manifest = JSON.parse(await readFile(join(ROOT, "packages", name, "package.json"), "utf8"))
      expect(manifest.version, name).toBe(RELEASE)
    }
  })
})

describe("a command and a server of different releases", () => {
  it.each([
    ["0.1.0", "0.1.7", true],
    ["0.1.0", "0.2.0", false],
    ["1.2.0", "1.9.3", true],
    ["1.2.0", "2.0.0", false],
    ["0.1.0", "1.1.0", false],
    ["1.0.0", "1.0.0-beta.2", true],
    ["1.0.0", "newest", false],
    ["newest", "newest", false],
  ])("%s and %s: %s", (one, other, works) => {
    expect([worksWith(one, other), worksWith(other, one)]).toEqual([works, works])
  })

  it("the server refuses the command before it does anything", async () => {
    const server = await startServer()
    try {
      const request = { json: { user_prompt: "A page" }, headers: { [RELEASE_HEADER]: "99.0.0" } }
      const refused = await server.call("POST", "/v1/runs", request)
      expect(refused.status).toBe(400)
      expect(refused.body.error).toMatchObject({
        code: "release_mismatch",
        message: `This server is Switchyard ${RELEASE}, and the command is 99.0.0. Install switchyard-cli ${RELEASE}.`,
      })
      expect((await server.call("GET", "/v1/runs")).body.runs).toEqual([])
    } finally {
      await server.close()
    }
  })

  it("the command says which release the server needs, whatever the server answers", async () => {
    const asked: IncomingHttpHeaders[] = []
    const other = createServer(({ headers }, response) => {
      asked.push(headers)
      response.setHeader(RELEASE_HEADER, "99.1.0").end("{}")
    })
    await once(other.listen(0, "127.0.0.1"), "listening")
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    try {
      const { code, stderr } = await installed(["status"], { url })
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `switchyard: The server at ${url} is Switchyard 99.1.0, and this command is ${RELEASE}. Install switchyard-cli 99.1.0.\n`,
      })
      expect(asked.map((headers) => headers[RELEASE_HEADER.toLowerCase()])).toEqual([RELEASE])
    } finally {
      other.close()
    }
  })
})
