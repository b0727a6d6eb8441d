import { AppError } from "../../errors.ts"
import type { HostPolicy } from "../../network/host-policy.ts"
import type { OpenedGitHost } from "../../people/git-hosts/git-hosts.ts"
import { withoutSlashes } from "../../text/trim.ts"
import type { Forge } from "./forge.ts"
import { createForgeApi } from "./forge-api.ts"
import type { ForgeFiles } from "./forge-files.ts"
import { createGiteaFiles } from "./gitea-files.ts"
import { createGithub } from "./github.ts"
import { createGithubFiles } from "./github-files.ts"
import { createGitlab } from "./gitlab.ts"
import { createGitlabFiles } from "./gitlab-files.ts"

interface About {
  url: string
  hosts: HostPolicy
  signal: AbortSignal
}

/** Opens the API that manages pull requests on a repository's host, with the owner's token. */
export function openForge(host: OpenedGitHost, about: About): Forge {
  const { api, path, owner, name } = openApi(host, about)
  if (host.kind === "gitlab") return createGitlab(api, path)
  return createGithub(api, { owner, name, isGitea: host.kind === "gitea" })
}

/** Opens the API that reads and writes files on a repository's host, with the owner's token. */
export function openForgeFiles(host: OpenedGitHost, about: About): ForgeFiles {
  const { api, path, owner, name } = openApi(host, about)
  if (host.kind === "gitlab") return createGitlabFiles(api, path)
  return host.kind === "gitea" ? createGiteaFiles(api, { owner, name }) : createGithubFiles(api, { owner, name })
}

function openApi({ kind, token, api_url: apiUrl }: OpenedGitHost, { url, hosts, signal }: About) {
  const path = withoutSlashes(decodeURIComponent(new URL(url).pathname)).replace(/^\/+|\.git$/g, "")
  const headers = { authorization: `${kind === "gitea" ? "token" : "Bearer"} ${token}` }
  const api = createForgeApi({ apiUrl, headers, hosts, signal })
  const [name, owner] = path.split("/").reverse()
  if (!owner || !name) throw new AppError("repository_error", "The repository URL is missing an owner or a name.")
  return { api, path, owner, name }
}
