import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { parseJson } from "../../parse-json.ts"

/** A server on this machine, as it leaves word of itself for the command line of the same user. */
export const RunningServer = z.object({
  url: z.url({ protocol: /^https?$/ }),
  /** Its process: once that is gone, the address may be another program's. */
  pid: z.int().positive(),
  /** The folder of its program. */
  checkout: z.string(),
  dataFolder: z.string(),
  /** Only where it asks for one. */
  token: z.string().optional(),
})
export type RunningServer = z.infer<typeof RunningServer>

interface UserPlace {
  env: Record<string, string | undefined>
  home: string
}

/** The folder with one file for each server. */
function serversFolder({ env, home }: UserPlace): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "switchyard", "servers")
}

/** The file of a server. It is named after the server's address, so that a token is sent to no other server. */
export function serverFile(server: URL, place: UserPlace): string {
  const host = LOOPBACK.test(server.hostname) ? "localhost" : server.hostname
  const port = server.port || (server.protocol === "https:" ? "443" : "80")
  return join(serversFolder(place), `${host.replaceAll(/[^\w.-]/g, "_")}-${port}.json`)
}

/** The running server of this user's at this address, if there is one. */
export function runningServerAt(server: URL, place: UserPlace): RunningServer | undefined {
  return readServer(serverFile(server, place))
}

/** All running servers of this user's, in the order of their files' names. */
export function runningServers(place: UserPlace): RunningServer[] {
  return serverFiles(place).flatMap((file) => readServer(file) ?? [])
}

/** The files of servers that were killed. */
export function abandonedFiles(place: UserPlace): string[] {
  return serverFiles(place).filter((file) => readServer(file) === undefined)
}

function serverFiles(place: UserPlace): string[] {
  const folder = serversFolder(place)
  const names = unlessMissing(() => readdirSync(folder)) ?? []
  return names
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => join(folder, name))
}

/** Undefined if no server wrote the file, or one that is gone. */
function readServer(file: string): RunningServer | undefined {
  const text = unlessMissing(() => readFileSync(file, "utf8"))
  const server = text === undefined ? undefined : RunningServer.safeParse(parseJson(text)).data
  return server && isRunning(server.pid) ? server : undefined
}

/** Whether a process of this user's has the id. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (MISSING.includes((error as NodeJS.ErrnoException).code ?? "")) return undefined
    throw error
  }
}

const MISSING = ["ENOENT", "ENOTDIR", "EACCES", "EISDIR"]
const LOOPBACK = /^(localhost|127[\d.]+|\[::1\])$/
