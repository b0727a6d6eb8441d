import type { RemoteCredentials } from "../../files/worktrees/remote.ts"
import type { GitHost, GitHostKind } from "./schema.ts"

/** Credential format and API address of one kind of git host. */
interface KindOfHost {
  /** User name to send with a token that is stored without a user name. */
  username: string
  apiUrl(host: Pick<GitHost, "host" | "scheme">): string
}

const kinds: Record<GitHostKind, KindOfHost> = {
  github: {
    username: "x-access-token",
    apiUrl: ({ host, scheme }) => (host === "github.com" ? "https://api.github.com" : `${scheme}://${host}/api/v3`),
  },
  gitlab: { username: "oauth2", apiUrl: ({ host, scheme }) => `${scheme}://${host}/api/v4` },
  gitea: { username: "oauth2", apiUrl: ({ host, scheme }) => `${scheme}://${host}/api/v1` },
}

const WELL_KNOWN: ReadonlyMap<string, GitHostKind> = new Map([
  ["github.com", "github"],
  ["gitlab.com", "gitlab"],
  ["codeberg.org", "gitea"],
])

/** Returns the kind of a well-known host. Undefined for other hosts. */
export function kindOfHost(host: string): GitHostKind | undefined {
  return WELL_KNOWN.get(host)
}

export function usualApiUrl(host: Pick<GitHost, "host" | "scheme" | "kind">): string {
  return kinds[host.kind].apiUrl(host)
}

/** Returns the user name and password that git sends for a host's token. */
export function gitCredentials({
  kind,
  username,
  token,
}: Pick<GitHost, "kind" | "username"> & { token: string }): RemoteCredentials {
  return { username: username ?? kinds[kind].username, password: token }
}
