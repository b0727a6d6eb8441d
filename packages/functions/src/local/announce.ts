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
 * Writes the file that this user's CLI uses to find the server. Returns a function that removes the file, because
 * another program may use the port once the server has stopped.
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

/** Finds this user's running server with the given port and data folder. */
export function serverOn(
  port: number,
  dataFolder: string,
  env: Record<string, string | undefined>,
): RunningServer | undefined {
  return runningServers(placeOf(env)).find(
    (server) => server.dataFolder === dataFolder && new URL(server.url).port === String(port),
  )
}

/**
 * Returns the folder for announcements. Doesn't use `HOME`: under sudo, `HOME` may be another user's home, and that
 * user then couldn't read the file or remove the folder.
 */
function placeOf(env: Record<string, string | undefined>) {
  return { env, home: userInfo().homedir }
}
