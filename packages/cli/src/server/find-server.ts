import { userInfo } from "node:os"
import { fileURLToPath } from "node:url"
import { type RunningServer, runningServerAt, runningServers } from "@switchyard/core/people/access/running-servers"
import { UsageError } from "../errors/errors.ts"

const DEFAULT_URL = "http://127.0.0.1:3000"
const CHECKOUT = fileURLToPath(new URL("../../../../", import.meta.url))

/** Returns the URL of the server to use, and the token that a running server has stored for this user. */
export function findServer(named: URL | undefined, env: NodeJS.ProcessEnv): { url: URL; token: string | undefined } {
  const home = homeFolder()
  if (home === undefined) return { url: named ?? new URL(DEFAULT_URL), token: undefined }
  const url = named ?? new URL(chooseServer(runningServers({ env, home }), CHECKOUT))
  return { url, token: runningServerAt(url, { env, home })?.token }
}

/**
 * Chooses among the running servers of this checkout or, if there are none, among all running servers. Chooses the
 * server at the default URL, or the only server. Returns the default URL if no server is running. Throws if several
 * servers remain, because a prompt and a model key might be sent to the wrong server.
 */
export function chooseServer(running: Pick<RunningServer, "url" | "checkout">[], checkout: string): string {
  const ours = running.filter((server) => server.checkout === checkout)
  const urls = (ours.length > 0 ? ours : running).map(({ url }) => url)
  const usual = urls.find((url) => new URL(url).origin === DEFAULT_URL)
  if (usual !== undefined || urls.length === 0) return usual ?? DEFAULT_URL
  const [only, ...others] = urls
  if (only !== undefined && others.length === 0) return only
  throw new UsageError(`Several servers are running. Choose one with --url: ${urls.join(", ")}`)
}

/** True if a URL points to this machine. The server may then have access to the folders on this machine. */
export function isLoopbackUrl({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** Returns the user's home folder. Undefined if the system doesn't know the user, as in some containers. */
function homeFolder(): string | undefined {
  try {
    return userInfo().homedir
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SYSTEM_ERROR") return undefined
    throw error
  }
}
