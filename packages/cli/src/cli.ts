import { randomUUID } from "node:crypto"
import { type Clock, systemClock } from "@switchyard/core/time"
import { type Api, createApi } from "./api.ts"
import { type Connection, createConnection } from "./connection.ts"
import { UsageError } from "./errors.ts"
import { createInterrupts, type Interrupts } from "./interrupts.ts"
import { createPatience, type Patience } from "./patience.ts"
import { createTerminal, type Terminal } from "./terminal.ts"

export interface GlobalOptions {
  url: string
  token?: string
  apiKey?: string
  json?: boolean
  patience: number
}

/** What a command works with. */
export interface Cli {
  api: Api
  connection: Connection
  patience: Patience
  storePatience: Patience
  terminal: Terminal
  interrupts: Interrupts
  clock: Clock
  silenceMs: number
  newKey: () => string
}

// The server says something every 15 s, be it nothing.
const SILENCE_MS = 50_000

export function createCli(options: GlobalOptions, process: NodeJS.Process): Cli {
  const token = secretOf(options.token, "--token")
  const apiKey = secretOf(options.apiKey, "--api-key")
  const { stdout, stderr, env } = process
  const secrets = [token, apiKey].filter((secret) => secret !== undefined)
  const terminal = createTerminal({ stdout, stderr, env, json: Boolean(options.json), secrets })
  const connection = createConnection({ url: serverUrl(options.url), token, apiKey })
  const { notice } = terminal
  const patienceDeps = { clock: systemClock, random: Math.random, outageMs: options.patience * 1000, notice }
  const patience = createPatience(patienceDeps)
  return {
    api: createApi({ connection, patience, clock: systemClock }),
    connection,
    patience,
    storePatience: createPatience(patienceDeps),
    terminal,
    interrupts: createInterrupts(process, () => process.exit(130)),
    clock: systemClock,
    silenceMs: SILENCE_MS,
    newKey: randomUUID,
  }
}

function serverUrl(text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError("--url must be an http or https address.")
  if (url.username || url.password) throw new UsageError("--url can't hold credentials: use --token.")
  return url
}

/** Blank is absent, as an unset variable of a pipeline is. What is refused is not shown. */
function secretOf(text: string | undefined, name: string): string | undefined {
  const secret = text?.trim()
  if (!secret) return undefined
  if (!/^[\x21-\x7e]+$/.test(secret)) throw new UsageError(`${name} has a character that no header can carry.`)
  return secret
}
