import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { parseJson } from "../../text/parse-json.ts"

/** A server on this machine, as announced to the command line of the same user. */
export const RunningServer = z.object({
  url: z.url({ protocol: /^https?$/ }),
  /** Process ID. Once the process is gone, the entry is ignored, because another program may now use the address. */
  pid: z.int().positive(),
  /** Folder that contains the server's program. */
  checkout: z.string(),
  dataFolder: z.string(),
  /** Token that the server requires, if any. */
  token: z.string().optional(),
})
export type RunningServer = z.infer<typeof RunningServer>

interface UserPlace {
  env: Record<string, string | undefined>
  home: string
}

/** Returns the folder that contains one file per server. */
function serversFolder({ env, home }: UserPlace): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "switchyard", "servers")
}

/**
 * Returns a server's file. It is named after the server's address, so that the server's token is never sent to a
 * different address.
 */
export function serverFile(server: URL, place: UserPlace): string {
  const host = LOOPBACK.test(server.hostname) ? "localhost" : server.hostname
  const port = server.port || (server.protocol === "https:" ? "443" : "80")
  return join(serversFolder(place), `${host.replaceAll(/[^\w.-]/g, "_")}-${port}.json`)
}

/** Returns this user's running server at this address, if there is one. */
export function runningServerAt(server: URL, place: UserPlace): RunningServer | undefined {
  return readServer(serverFile(server, place))
}

/** Returns all of this user's running servers, sorted by file name. */
export function runningServers(place: UserPlace): RunningServer[] {
  return serverFiles(place).flatMap((file) => readServer(file) ?? [])
}

/** Returns the files of servers that were killed before they could remove them. */
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

/** Reads a server's file. Returns undefined if the file wasn't written by a server, or if the server is gone. */
function readServer(file: string): RunningServer | undefined {
  const text = unlessMissing(() => readFileSync(file, "utf8"))
  const server = text === undefined ? undefined : RunningServer.safeParse(parseJson(text)).data
  return server && isRunning(server.pid) ? server : undefined
}

/** True if this user has a process with this ID. */
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
