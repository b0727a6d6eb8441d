import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isAppError } from "@switchyard/core/errors"
import { ModelError } from "@switchyard/core/models/errors"
import { systemClock } from "@switchyard/core/time"
import { createDemoModel } from "@switchyard/functions/demo-model"
import { startServer, type TestServer } from "../functions/server.ts"
import { streams } from "./event-streams.ts"
import { generated } from "./generated.ts"
import { javaTools } from "./maven.ts"
import { goTools, npmTools, pythonTools } from "./tools.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"
/** Nothing listens at this address, so made-up API keys can't leave this machine. */
const NOWHERE = "http://127.0.0.1:9"

export interface Scene {
  server: TestServer
  token: string
  /** Folder for generated files. Contains `openapi.json`. */
  folder: string
}

/** Tries one client or tool on the server. `tools` is the folder it is installed in. Throws if it fails. */
export type Check = (scene: Scene, tools: string) => Promise<void>

// Exits explicitly, because a client that fails leaves processes and connections behind.
process.exit(await main(process.argv.slice(2)))

/**
 * Tests other people's clients against a real server: `npm run test:clients -- [--if-possible] [words of checks …]`.
 */
async function main(args: string[]): Promise<number> {
  const missingIsFine = args.includes("--if-possible")
  const words = args.filter((arg) => !arg.startsWith("--"))
  const [npm, python, go, java] = await Promise.all([npmTools(), pythonTools(), goTools(), javaTools()])
  const scene = await openScene()
  let failed = 0

  async function play(tools: string | Error, checks: Record<string, Check>): Promise<void> {
    for (const [name, check] of Object.entries(checks)) {
      if (words.length > 0 && !words.some((word) => name.includes(word))) continue
      if (tools instanceof Error) {
        console.log(`not tried: ${name}; ${tools.message}`)
        if (!missingIsFine) failed++
        continue
      }
      const began = performance.now()
      const failure = await check(scene, tools).then(
        () => undefined,
        (error: unknown) => error ?? new Error("without a reason"),
      )
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      console.log(failure ? `FAILED ${name} (${seconds} s)` : `ok     ${name} (${seconds} s)`)
      if (failure) console.error(failure)
      if (failure) failed++
    }
  }

  try {
    await play(npm, { ...generated.npm, ...streams.npm })
    await play(go, generated.go)
    await play(java, generated.java)
    await play(python, { ...streams.python, ...generated.python })
    const unexpected = scene.server.reported.filter((error) => !isOfRequest(error))
    if (unexpected.length > 0) {
      console.error("FAILED the server met what it didn't expect:", unexpected)
      failed++
    }
  } finally {
    await scene.server.close()
    await rm(scene.folder, { recursive: true, force: true })
  }
  return failed > 0 ? 1 : 0
}

/**
 * Returns true for errors that a client's request explains: a run with a made-up key can't reach its model, and a run
 * with a small limit can't write all its files.
 */
function isOfRequest(error: unknown): boolean {
  return isAppError(error, "invalid_request") || (error instanceof ModelError && error.errorType === "connection_error")
}

async function openScene(): Promise<Scene> {
  const limits = { RATE_LIMIT_RUNS_PER_MINUTE: "0", RATE_LIMIT_ARCHIVES_PER_MINUTE: "0" }
  const models = Object.fromEntries(
    ["GROQ", "OPENAI", "ANTHROPIC", "LOCAL"].map((name) => [`${name}_BASE_URL`, NOWHERE]),
  )
  // The demo model coordinates teams, too. Its pauses are left out.
  const scripted = createDemoModel({ ...systemClock, sleep: async () => {} })
  const server = await startServer({ scripted, env: { AUTH_MODE: "token", ADMIN_TOKEN, ...limits, ...models } })
  const folder = await mkdtemp(join(tmpdir(), "switchyard-clients-"))
  await writeFile(join(folder, "openapi.json"), (await server.call("GET", "/openapi.json")).text)
  const { body } = await server.call("POST", "/v1/tokens", {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    json: { name: "clients", owner: "clients", scopes: ["run", "read"] },
  })
  return { server, token: body.secret, folder }
}
