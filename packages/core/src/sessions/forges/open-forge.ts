import { AppError } from "../../errors.ts"
import type { HostPolicy } from "../../network/host-policy.ts"
import type { OpenedGitHost } from "../../people/git-hosts/git-hosts.ts"
import { withoutSlashes } from "../../text/trim.ts"
import type { Forge } from "./forge.ts"
import { createForgeApi } from "./forge-api.ts"
import { createGithub } from "./github.ts"
import { createGitlab } from "./gitlab.ts"

/** Opens the API of a repository's host with the owner's token. */
export function openForge(
  { kind, token, api_url: apiUrl }: OpenedGitHost,
  { url, hosts, signal }: { url: string; hosts: HostPolicy; signal: AbortSignal },
): Forge {
  const path = withoutSlashes(decodeURIComponent(new URL(url).pathname)).replace(/^\/+|\.git$/g, "")
  const headers = { authorization: `${kind === "gitea" ? "token" : "Bearer"} ${token}` }
  const api = createForgeApi({ apiUrl, headers, hosts, signal })
  if (kind === "gitlab") return createGitlab(api, path)
  const [name, owner] = path.split("/").reverse()
  if (!owner || !name) throw new AppError("repository_error", "The repository URL is missing an owner or a name.")
  return createGithub(api, { owner, name, isGitea: kind === "gitea" })
}
