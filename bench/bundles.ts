import { spawn } from "node:child_process"
import { once } from "node:events"
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { bundleFunction, OURS } from "../tests/infra/bundle-function.ts"
import { buildBundles, ENTRIES } from "../tests/rehearsal/bundles.ts"
import { compared, type Line, type Question, sideBySide, timed } from "./measure.ts"
import { temporaryDirectory } from "./stage.ts"

const ROUNDS = 5
/** Maximum bytes that each function loads before its first request. The same sources give the same bytes everywhere. */
const MOST: Record<(typeof ENTRIES)[number], number> = {
  api: 1_200_000,
  stream: 1_200_000,
  worker: 1_000_000,
  sweep: 800_000,
  credentials: 900_000,
  logins: 900_000,
  slots: 900_000,
  socket: 900_000,
  "socket-pump": 900_000,
}
const LARGEST = 5

export const bundles: Question = {
  asks: "What does Lambda load of each function, and how long is it from node's start to ready?",
  async answer() {
    const folder = await temporaryDirectory()
    try {
      await buildBundles(folder)
      const empty = join(folder, "empty.mjs")
      await writeFile(empty, "export const handler = async () => {}\n")
      const lines: Line[] = []
      for (const entry of ENTRIES) {
        const { cold, total, parts } = await bundleFunction(`packages/functions/src/aws/${entry}.ts`, OURS)
        const target = { of: "value", atMost: MOST[entry] } as const
        lines.push({ what: `${entry}: loaded at once`, value: cold, unit: "bytes", target })
        for (const { whose, bytes } of parts.slice(0, LARGEST)) {
          lines.push({ what: `${entry}: of that, ${whose}`, value: bytes, unit: "bytes" })
        }
        lines.push({ what: `${entry}: in all`, value: total, unit: "bytes" })
        const file = join(folder, entry, `${entry}.mjs`)
        const start = await sideBySide(
          () => timed(() => load(file)),
          () => timed(() => load(empty)),
          { rounds: ROUNDS },
        )
        lines.push(compared(`${entry}: start to ready`, "ms", "an empty handler", start))
      }
      return lines
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

/** Loads a handler in a new process, as Lambda's runtime does, and exits. */
async function load(file: string): Promise<void> {
  const loader = `
    globalThis.awslambda = { streamifyResponse: (handler) => handler }
    const { handler } = await import(${JSON.stringify(pathToFileURL(file).href)})
    process.exit(typeof handler === "function" ? 0 : 1)
  `
  const child = spawn(process.execPath, ["--input-type=module", "-e", loader], { env, stdio: ["ignore", 2, 2] })
  const [code] = await once(child, "exit")
  if (code !== 0) throw new Error(`${file} can't be loaded.`)
}

const secret = "no-secret-no-secret-no-secret-no-secret"
const env = {
  PATH: process.env.PATH,
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "none",
  AWS_SECRET_ACCESS_KEY: "none",
  APP_ENV: "production",
  VERSION: "0",
  TABLE: "none",
  BUCKET: "none",
  WORKER: "none",
  SESSION_ROLE: "none",
  PUMP: "none",
  CONNECTIONS: "https://none.example/live",
  ORIGIN_SECRET: secret,
  ADMIN_TOKEN: secret,
  // Without this origin, each start would print a warning.
  CORS_ALLOWED_ORIGINS: "https://studio.example",
  MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
}
