import { AppError } from "../errors.ts"
import { hostOf, isHttp, type Remote } from "../files/worktrees/remote.ts"
import type { HostPolicy } from "../network/host-policy.ts"
import { requestHost } from "../network/host-request.ts"
import { gitCredentials } from "../people/git-hosts/defaults.ts"
import type { GitHosts } from "../people/git-hosts/git-hosts.ts"
import { withoutSlashes } from "../text/trim.ts"
import { openFor } from "./git-host-grants.ts"

export interface AccessDeps {
  gitHosts: Pick<GitHosts, "open">
  hosts: HostPolicy
}

const WITHIN_MS = 5000

/**
 * Checks that a repository can be read with the session's credentials. Throws `repository_error` if the host refuses.
 * Doesn't throw if the host is unreachable, because a runner may be able to reach it. Sends nothing to private hosts,
 * so that requests can't be used to learn about them.
 */
export async function requireAccess(
  { gitHosts, hosts }: AccessDeps,
  owner: string,
  remote: Remote,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  if (!isHttp(remote.url) || !(await hosts.check(hostOf(remote) ?? "", { signal }))) return
  const host = await openFor(gitHosts, owner, remote.url, { signal })
  const credentials = remote.credentials ?? (host && gitCredentials(host))
  const asked = {
    url: `${withoutSlashes(remote.url)}/info/refs?service=git-upload-pack`,
    headers: credentials && { authorization: basic(credentials) },
    signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
  }
  const status = await requestHost(hosts, asked).then(
    (response) => response.status,
    () => undefined,
  )
  signal.throwIfAborted()
  const reason = status && reasonFor(status, credentials !== undefined)
  if (!reason) return
  throw new AppError("repository_error", reason, { repository: remote.url, status })
}

function basic({ username, password }: NonNullable<Remote["credentials"]>): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`
}

/**
 * Returns the reason for the host's refusal, and what the user can do about it. Undefined if the host didn't refuse.
 */
function reasonFor(status: number, hasToken: boolean): string | undefined {
  if (status === 401) {
    return hasToken
      ? "The repository's host rejected the token. It may be wrong, expired or revoked."
      : "The repository's host requires a token. Add one for this host in Settings, Git hosts, or with `switchyard git-hosts`."
  }
  if (status === 403) return "The token doesn't give access to this repository."
  if (status !== 404) return undefined
  return hasToken
    ? "There is no such repository, or the token doesn't give access to it."
    : "There is no such repository, or it requires a token."
}
