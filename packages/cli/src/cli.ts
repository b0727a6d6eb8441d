import { randomUUID } from "node:crypto"
import { type Clock, systemClock } from "@switchyard/core/time"
import { type Api, createApi } from "./api/api.ts"
import { createRequests } from "./api/requests.ts"
import { UsageError } from "./errors/errors.ts"
import { createInterrupts, type InterruptSource } from "./input/interrupts.ts"
import { createTerminal, type Terminal } from "./output/terminal.ts"
import { type Connection, createConnection } from "./server/connection.ts"
import { findServer } from "./server/find-server.ts"
import { createRetryPolicy, type RetryPolicy } from "./server/retry.ts"

export interface GlobalOptions {
  url?: string
  token?: string
  apiKey?: string
  json?: boolean
  patience: number
}

export interface Cli {
  server: URL
  api: Api
  connection: Connection
  retries: RetryPolicy
  storeRetries: RetryPolicy
  terminal: Terminal
  interrupts: InterruptSource
  /** Environment for programs started by a command. Leaves out the variables that are meant for this program. */
  programEnv: Record<string, string | undefined>
  clock: Clock
  silenceMs: number
  newKey: () => string
}

// Time after which a silent connection counts as lost. The server sends at least a comment every 15 s.
const SILENCE_MS = 50_000

export function createCli(options: GlobalOptions, process: NodeJS.Process): Cli {
  const { stdout, stderr, env } = process
  const found = findServer(options.url ? serverUrl(options.url) : undefined, env)
  const { url } = found
  const token = secretOf(options.token, "--token") ?? found.token
  const apiKey = secretOf(options.apiKey, "--api-key")
  const secrets = [token, apiKey].filter((secret) => secret !== undefined)
  const terminal = createTerminal({ stdout, stderr, env, json: Boolean(options.json), secrets })
  const connection = createConnection({ url, token, apiKey })
  const { notice } = terminal
  const retryDeps = { clock: systemClock, random: Math.random, outageMs: options.patience * 1000, notice }
  const retries = createRetryPolicy(retryDeps)
  const interrupts = createInterrupts(process, () => process.exit(130))
  return {
    server: url,
    api: createApi(createRequests({ connection, retries, clock: systemClock, interrupted: interrupts.first })),
    connection,
    retries,
    storeRetries: createRetryPolicy(retryDeps),
    terminal,
    interrupts,
    programEnv: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("SWITCHYARD_"))),
    clock: systemClock,
    silenceMs: SILENCE_MS,
    newKey: randomUUID,
  }
}

function serverUrl(text: string): URL {
  // The installed command also runs on Node 20, which lacks `URL.parse`.
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError("--url must be an http or https URL.")
  if (url.username || url.password) throw new UsageError("--url can't contain credentials. Use --token.")
  return url
}

/**
 * Validates a secret. A blank secret counts as missing, because unset variables in a pipeline are often blank. Errors
 * never contain the secret.
 */
function secretOf(text: string | undefined, name: string): string | undefined {
  const secret = text?.trim()
  if (!secret) return undefined
  if (!/^[\x21-\x7e]+$/.test(secret))
    throw new UsageError(`${name} contains a character that isn't allowed in a header.`)
  return secret
}
