import { AppError, type ErrorCode } from "@switchyard/core/errors"
import { hostOf, isHttp, type RemoteCredentials } from "@switchyard/core/files/worktrees/remote"
import { type HostPolicy, hostRefused } from "@switchyard/core/network/host-policy"
import { openRemoteProxy, PROXY_HOST } from "./remote-proxy.ts"

/** Runs a git command that uses the network. Passes variables to it that let git connect without seeing credentials. */
export type Reach = <T>(
  task: (env: Record<string, string>) => Promise<T>,
  options: { signal: AbortSignal },
) => Promise<T>

/** Lets git connect to the repository directly. */
export const reachDirectly: Reach = (task) => task({})

export interface RemoteDeps {
  /** Environment of the runner, with the machine's proxy settings if there are any. */
  env: Record<string, string | undefined>
  hosts: HostPolicy
  credentialsFor: (url: string, options: { signal: AbortSignal }) => Promise<RemoteCredentials | undefined>
}

/**
 * Connects to the repository at this URL, with the credentials for the URL if there are any. Throws if the host isn't
 * allowed.
 */
export function reachRemote(deps: RemoteDeps, remote: { url: string }): Reach {
  const { hosts } = deps
  const host = hostOf(remote)
  return async (task, options) => {
    // Check right before use, because the name may now resolve to another address.
    const isOpen = host === undefined || (await hosts.check(host, options))
    try {
      return await reachAllowed(deps, remote, task, options)
    } catch (error) {
      if (!isOpen && error instanceof AppError && UNTOLD.has(error.code)) throw hostRefused()
      throw error
    }
  }
}

/** Error codes that would reveal which services a private host offers. */
const UNTOLD: ReadonlySet<ErrorCode> = new Set(["repository_error", "git_error"])

async function reachAllowed<T>(
  { env, hosts, credentialsFor }: RemoteDeps,
  { url }: { url: string },
  task: (env: Record<string, string>) => Promise<T>,
  options: { signal: AbortSignal },
): Promise<T> {
  const credentials = isHttp(url) ? await credentialsFor(url, options) : undefined
  if (!isHttp(url) || (!credentials && hosts.allowsAny)) return task({})
  await using proxy = await openRemoteProxy({ url, credentials }, { env, hosts })
  try {
    return await task({ ...configured(proxy.url, url), ...directly(env) })
  } catch (error) {
    throw error instanceof AppError ? withUrl(error, proxy.url, url) : error
  }
}

/**
 * Returns settings that direct git to the proxy. They are passed as environment variables, because other users can read
 * command lines. The repository's own config can direct git elsewhere, but git then has no credentials.
 */
function configured(proxy: string, url: string): Record<string, string> {
  const settings = [
    [`url.${proxy}.insteadOf`, url],
    // Disable credential helpers, because they have no credentials for the proxy.
    ["credential.helper", ""],
  ] as const
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) }
}

/**
 * Returns variables that make git connect to our proxy directly. The machine's proxy is only meant for requests that
 * leave the machine. A proxy configured in the repository would see our proxy's URL, which is as powerful as the
 * credentials while the command runs.
 */
function directly(env: RemoteDeps["env"]): Record<string, string> {
  return { no_proxy: [env.no_proxy ?? env.NO_PROXY, PROXY_HOST].filter(Boolean).join(",") }
}

/**
 * Returns the error with the proxy's URL replaced by the repository's URL. Git may have shortened the URL to its
 * origin.
 */
function withUrl(error: AppError, proxy: string, url: string): AppError {
  const [proxyOrigin, origin] = [new URL(proxy).origin, new URL(url).origin]
  const details = Object.entries(error.details).map(([name, value]) => [
    name,
    typeof value === "string" ? value.replaceAll(proxy, url).replaceAll(proxyOrigin, origin) : value,
  ])
  return new AppError(error.code, error.message, Object.fromEntries(details), { cause: error.cause })
}
