import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { jsonOfYamlInThread } from "@switchyard/core/agents/added/in-thread"
import { watchForStalls } from "@switchyard/core/concurrency/stalls"
import { AppError } from "@switchyard/core/errors"
import { RELEASE } from "@switchyard/core/release"
import { systemFaultIn } from "@switchyard/core/system-faults"
import { ZodError } from "zod"
import { withAgentsFile } from "../agents-file.ts"
import { type Config, loadConfig, warningsOf } from "../config.ts"
import { isLoopback } from "../http/loopback.ts"
import { withoutTracing } from "../tracing.ts"
import { announceServer, serverOn } from "./announce.ts"
import { describeFound, findModelServer } from "./model-servers.ts"
import { type LocalServer, startLocalServer } from "./server.ts"
import { localAddress, secretAddress, signInUrl } from "./sign-in.ts"

const root = new URL("../../../../", import.meta.url)

/** Runs the server for `npm start` until a signal stops it. */
export async function runServer(env: NodeJS.ProcessEnv): Promise<void> {
  outliveReaders()
  const envFile = new URL(".env", root)
  if (existsSync(envFile)) process.loadEnvFile(envFile)
  const settings = await withAgentsFile(withoutTracing(env), jsonOfYamlInThread)
  const configured = loadConfig(settings)
  const models = configured.findsModelServer ? await findModelServer() : undefined
  const config = models ? loadConfig({ ...settings, LOCAL_BASE_URL: models.baseUrl }) : configured
  if (config.auth.mode === "open" && !isLoopback(config.host)) {
    throw new UsageError(
      `If login is disabled, the server can only listen on a loopback address. HOST=${config.host} requires AUTH_MODE=token.`,
    )
  }
  const studioFolder = fileURLToPath(new URL("packages/web/dist", root))
  const report = (error: unknown) => console.error(error)
  const taken: number[] = []
  const portTaken = (port: number) => {
    const other = serverOn(port, resolve(config.dataFolder), env)
    if (other) throw new UsageError(`Switchyard is already running at ${other.url}. To start another server, set PORT.`)
    taken.push(port)
  }
  const server = await startLocalServer(config, { version: RELEASE, studioFolder, report, portTaken })
  const announced = announce(config, server, env)
  // Install the handler before printing the address, because a program that reads the address may stop the server right
  // away.
  stopOnSignal(async () => {
    try {
      // Remove the announcement before another program can listen on the port.
      await (await announced)?.()
    } finally {
      await server.stop()
    }
  })
  if (models) console.log(describeFound(models))
  console.log(`Switchyard listening on ${server.url}`)
  if (taken[0] !== undefined) console.log(`Port ${taken[0]} is in use by another program.`)
  await announced
  if (server.localToken) printSignIn(config, server.url, server.localToken)
  for (const warning of warningsOf(config)) console.warn(warning)
  watchForStalls((ms) =>
    console.log(`The server's event loop was blocked for ${ms} ms, so all other work had to wait.`),
  )
  if (server.adminTokenFile) console.log(`The admin token is in ${server.adminTokenFile}`)
}

/** Keeps the server running after the program that reads its output, such as `head`, has exited. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error
    })
  }
}

/** Stops the server on the first signal, then exits. A second signal exits immediately. */
function stopOnSignal(stopServer: () => Promise<void>): void {
  const stop = () => {
    for (const signal of SIGNALS) process.off(signal, stop)
    // Work that couldn't be handed over in time continues after the next start.
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    stopServer().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  for (const signal of SIGNALS) process.on(signal, stop)
}

/**
 * Announces the server to the CLI. Returns a function that removes the announcement. Returns undefined if the server
 * couldn't be announced.
 */
async function announce({ dataFolder }: Config, { url, localToken }: LocalServer, env: NodeJS.ProcessEnv) {
  try {
    const { href } = localAddress(url)
    const folders = { checkout: fileURLToPath(root), dataFolder: resolve(dataFolder) }
    return await announceServer({ url: href, pid: process.pid, ...folders, token: localToken }, env)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const settings = localToken ? "SWITCHYARD_URL and SWITCHYARD_TOKEN" : "SWITCHYARD_URL"
    console.warn(`The CLI can't find this server automatically, so set ${settings} for it: ${reason}`)
  }
}

/** Prints the address at which a browser can sign in. */
function printSignIn({ publicUrl }: Config, url: string, token: string): void {
  const address = localAddress(url)
  const secret = publicUrl ? undefined : secretAddress(address, token)
  console.log(`Sign in at ${signInUrl(publicUrl ?? secret ?? address, token)}`)
  if (secret) console.log(`or, if your browser can't open that, at ${signInUrl(address, token)}`)
}

class UsageError extends Error {}

const SIGNALS = ["SIGINT", "SIGTERM"] as const
const STOP_WITHIN_MS = 4500
const FULL = new Set(["ENOSPC", "EDQUOT"])
const FOLDER_FAULTS = new Set(["ENOENT", "EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", ...FULL])

/** Returns only the error's message if its stack trace wouldn't help the user. */
export function explain(error: unknown): unknown {
  if (error instanceof UsageError) return error.message
  if (error instanceof AppError) return [error.message, error.details.hint, error.cause].filter(Boolean).join("\n")
  if (error instanceof ZodError) {
    return error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n")
  }
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return `${error.message}\nThe port is in use. Stop the other server, or set PORT.`
  }
  if (!(error instanceof Error && "code" in error)) return withFault(error)
  if ("syscall" in error && error.syscall === "listen" && error.code === "EACCES") {
    return `${error.message}\nOnly root can use this port. Set PORT to a port above 1023.`
  }
  const isFolder = "syscall" in error ? FOLDER_FAULTS.has(String(error.code)) : error.code === "ERR_SQLITE_ERROR"
  if (!isFolder) return withFault(error)
  if (FULL.has(String(error.code)))
    return `${error.message}\nThe disk is full. Free some space, or set SWITCHYARD_DATA to a folder on another disk.`
  return `${error.message}\nThe server can't write its data. Set SWITCHYARD_DATA to a folder that this user can write to.`
}

/** Adds the remedy to the message of a known system fault. Returns any other error unchanged. */
function withFault(error: unknown): unknown {
  const fault = systemFaultIn(error)
  return fault && error instanceof Error ? `${error.message}\n${fault.message} ${fault.hint}` : error
}
