import type { RemoteCredentials } from "../../files/worktrees/remote.ts"
import type { GitHost, GitHostKind } from "./schema.ts"

/** The differences between the kinds of git hosts that matter for their credentials. */
interface KindOfHost {
  /** The user name that goes with a token which belongs to none. */
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

/** The kind of a host by its name; undefined for one that isn't well known. */
export function kindOfHost(host: string): GitHostKind | undefined {
  return WELL_KNOWN.get(host)
}

/** The address of the API of a host that has it at the usual place. */
export function usualApiUrl(host: Pick<GitHost, "host" | "scheme" | "kind">): string {
  return kinds[host.kind].apiUrl(host)
}

/** The user name and password with which git sends a token of the host. */
export function gitCredentials({
  kind,
  username,
  token,
}: Pick<GitHost, "kind" | "username"> & { token: string }): RemoteCredentials {
  return { username: username ?? kinds[kind].username, password: token }
}
