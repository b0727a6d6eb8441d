import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { unpack } from "switchyard/downloads/unpack"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { switchyard } from "./cli/spawn.ts"
import { missingTools, runDocsPipeline } from "./docs-scripts.ts"
import { projectTurn, ZIPPED } from "./faults/project.ts"
import { startModelServer } from "./fixtures/model-server/server.ts"
import { startServer, type TestServer } from "./functions/server.ts"
import { needs } from "./needs.ts"
import { never } from "./settings.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pipeline-"))
})
afterEach(() => rm(folder, { recursive: true }))

describe("a pipeline on a server without login", () => {
  it(
    "brings a project home by the script of docs/ci.md, and starts one run however often it is tried",
    needs(missingTools),
    async () => {
      const server = await startServer()
      const pipeline = { cwd: folder, url: server.url, token: "", buildId: "build-1", prompt: 'A "page"' }
      try {
        for (let tries = 0; tries < 2; tries++) expect(await runDocsPipeline(pipeline)).toBe(0)
        expect(Object.keys(await filesOf(join(folder, "project.zip"), ["README.md", "index.html"]))).toHaveLength(2)
        expect((await server.call("GET", "/v1/runs")).body.runs).toHaveLength(1)
      } finally {
        await server.close()
      }
    },
  )
})

describe("a pipeline in production, with a token and without a key for the model", () => {
  it("brings a project home by the script of docs/ci.md", needs(missingTools), async () => {
    await inProduction(async (server, token) => {
      const pipeline = { cwd: folder, url: server.url, token, buildId: "build-2", prompt: "Make a list." }
      expect(await runDocsPipeline(pipeline)).toBe(0)
      expect(await filesOf(join(folder, "project.zip"), Object.keys(ZIPPED))).toEqual(ZIPPED)
    })
  })

  it("brings a project home by `switchyard run --out`", async () => {
    await inProduction(async (server, token) => {
      const out = join(folder, "project")
      const options = { url: server.url, env: { SWITCHYARD_TOKEN: token } }
      const { code, stdout, stderr } = await switchyard(["run", "Make a list.", "--out", out], options)
      expect(code, stdout + stderr).toBe(0)
      for (const [path, text] of Object.entries(ZIPPED)) expect(await readFile(join(out, path), "utf8")).toBe(text)
    })
  })
})

/** Starts a server in production mode, with login and its own model key, and passes `play` a token for it. */
async function inProduction(play: (server: TestServer, token: string) => Promise<void>): Promise<void> {
  const model = await startModelServer(projectTurn)
  const keyed = { GROQ_API_KEY: "the-server's-own", GROQ_BASE_URL: model.url }
  const server = await startServer({ env: { APP_ENV: "production", ADMIN_TOKEN, ...keyed } })
  try {
    const { body } = await server.call("POST", "/v1/tokens", {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      json: { name: "ci", owner: "ci", scopes: ["run", "read"] },
    })
    await play(server, body.secret)
  } finally {
    await server.close()
    await model.close()
  }
}

/** Unpacks a zip and returns its texts by path. Fails if the zip has other files than `paths`. */
async function filesOf(zip: string, paths: string[]): Promise<Record<string, string>> {
  const target = join(folder, "unpacked")
  const count = await unpack(zip, target, { merge: false, signal: never })
  expect(count).toBe(paths.length)
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(target, path), "utf8")])),
  )
}
