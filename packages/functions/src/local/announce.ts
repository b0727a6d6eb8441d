import { rm } from "node:fs/promises"
import { userInfo } from "node:os"
import {
  abandonedFiles,
  type RunningServer,
  runningServers,
  serverFile,
} from "@switchyard/core/people/access/running-servers"
import { replaceSecret } from "./secrets.ts"

/**
 * Leaves word of a server where the command line of this user finds it. Resolves to what takes it away again: once the server is
 * gone, its port may be another program's.
 */
export async function announceServer(
  server: RunningServer,
  env: Record<string, string | undefined>,
): Promise<() => Promise<void>> {
  const place = placeOf(env)
  for (const abandoned of abandonedFiles(place)) await rm(abandoned, { force: true })
  const file = serverFile(new URL(server.url), place)
  await replaceSecret(file, JSON.stringify(server))
  return () => rm(file, { force: true })
}

/** The running server of this user's that has the port and the data folder, if there is one. */
export function serverOn(
  port: number,
  dataFolder: string,
  env: Record<string, string | undefined>,
): RunningServer | undefined {
  return runningServers(placeOf(env)).find(
    (server) => server.dataFolder === dataFolder && new URL(server.url).port === String(port),
  )
}

/** Not `HOME`: with sudo that may be another user's, who could not read the file, or remove its folder. */
function placeOf(env: Record<string, string | undefined>) {
  return { env, home: userInfo().homedir }
}
