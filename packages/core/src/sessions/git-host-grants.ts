import * as z from "zod"
import { AppError } from "../errors.ts"
import { isHttp } from "../files/worktrees/remote.ts"
import type { RepositoryCredentials, SessionLife } from "../files/worktrees/repository-credentials.ts"
import { gitCredentials } from "../people/git-hosts/defaults.ts"
import type { GitHosts, OpenedGitHost } from "../people/git-hosts/git-hosts.ts"
import type { GitHost, NewGitHost } from "../people/git-hosts/schema.ts"
import type { Records } from "../storage/records.ts"
import { readEntry } from "./session-index.ts"

/**
 * Copies of owners' tokens for git hosts. A session gets a copy of its owner's token for the host of its repository,
 * encrypted with the key of the session's runners. When a token is replaced or deleted, its copies in all sessions are
 * updated too.
 */
export type GitHostGrants = ReturnType<typeof createGitHostGrants>

const Grant = z.object({ host: z.string(), sid: z.string(), incarnation: z.int(), url: z.string() })
type Grant = z.infer<typeof Grant>

export function createGitHostGrants(deps: {
  records: Records
  gitHosts: GitHosts
  repositoryCredentials: RepositoryCredentials
}) {
  const { records, gitHosts, repositoryCredentials } = deps

  /** Updates the session's copy of the token. Repeats this if the token changes during the update. */
  async function update(owner: string, grant: Grant, options: { signal: AbortSignal }): Promise<void> {
    for (;;) {
      const found = await openFor(gitHosts, owner, grant.url, options)
      await copy(grant, found, options)
      const now = await openFor(gitHosts, owner, grant.url, options)
      if (now?.id === found?.id) return
    }
  }

  async function copy(grant: Grant, host: OpenedGitHost | undefined, options: { signal: AbortSignal }): Promise<void> {
    if (!host) return repositoryCredentials.eraseOfHost(grant.sid, options)
    const remote = { id: host.id, url: grant.url, credentials: gitCredentials(host) }
    await repositoryCredentials.storeOfHost(grant, remote, options)
  }

  async function updateAll(owner: string, host: string, options: { signal: AbortSignal }): Promise<void> {
    const partition = partitionOf(owner)
    for await (const { key, value } of records.range(partition, { ...boundsOf(host), ...options })) {
      const grant = Grant.parse(value)
      if (await readEntry(records, grant.sid, options)) await update(owner, grant, options)
      // The session was deleted together with its copy of the token, so remove the grant.
      else await records.remove(key, options)
    }
  }

  return {
    /**
     * Records the session's repository. If the owner has a token for the repository's host, copies the token to the
     * session.
     */
    async grant(owner: string, { sid, incarnation }: SessionLife, url: string, options: { signal: AbortSignal }) {
      if (!isHttp(url)) return
      const { host } = new URL(url)
      const grant = { host, sid, incarnation, url }
      const key = { partition: partitionOf(owner), sort: `${host}/${sid}` }
      // Record the grant first, so that a concurrent change of the token also updates this session.
      const noted = await records.get(key, options)
      if (!isSame(noted?.value, grant)) await records.put(key, { value: grant }, options)
      const found = await openFor(gitHosts, owner, url, options)
      const has = await repositoryCredentials.hostId(sid, options)
      if (!isSame(noted?.value, grant) || has !== found?.id) await update(owner, grant, options)
    },
    async put(owner: string, host: string, settings: NewGitHost, options: { signal: AbortSignal }): Promise<GitHost> {
      const stored = await gitHosts.put(owner, host, settings, options)
      await updateAll(owner, host, options)
      return stored
    },
    /** Removes the owner's token for a host, and all copies of it. Throws `not_found` if there is no such token. */
    async remove(owner: string, host: string, options: { signal: AbortSignal }): Promise<void> {
      const existed = await gitHosts.remove(owner, host, options)
      // Update the sessions even if the token is already gone, because an earlier deletion may have been interrupted.
      await updateAll(owner, host, options)
      if (!existed) throw new AppError("not_found", "You have no token for this host.", { host })
    },
  }
}

/**
 * Returns the owner's entry for the host of a repository URL. Undefined if no entry matches the URL's host name, port
 * and scheme.
 */
export async function openFor(
  gitHosts: Pick<GitHosts, "open">,
  owner: string,
  url: string,
  options: { signal: AbortSignal },
): Promise<OpenedGitHost | undefined> {
  if (!isHttp(url)) return undefined
  const { host, protocol } = new URL(url)
  const found = await gitHosts.open(owner, host, options)
  return found && `${found.scheme}:` === protocol ? found : undefined
}

function isSame(noted: unknown, { incarnation, url }: Grant): boolean {
  const parsed = Grant.safeParse(noted).data
  return parsed?.incarnation === incarnation && parsed.url === url
}

function partitionOf(owner: string): string {
  return `git-host-grants/${owner}`
}

/**
 * Returns the bounds of all keys that start with `host/`. Host names don't contain slashes, and "0" sorts right after
 * "/".
 */
function boundsOf(host: string): { from: string; to: string } {
  return { from: `${host}/`, to: `${host}0` }
}
