import { GitHost, type NewGitHost } from "@switchyard/core/people/git-hosts/schema"
import * as z from "zod"
import { useChange, useResponse } from "../../../session/context/requests.ts"

const KEY = ["git-hosts"]
const GitHosts = z.object({ git_hosts: z.array(GitHost) })
const Removed = z.object({ host: z.string() })

/** Returns the user's git hosts, without their tokens, and actions on them. */
export function useGitHosts() {
  const list = useResponse(KEY, "GET /api/v1/git-hosts", { response: GitHosts })
  const put = useChange(
    (api, { host, body }: { host: string; body: NewGitHost }) =>
      api.call("PUT /api/v1/git-hosts/{host}", { path: { host }, body, response: GitHost }),
    KEY,
  )
  const remove = useChange(
    (api, host: string) => api.call("DELETE /api/v1/git-hosts/{host}", { path: { host }, response: Removed }),
    KEY,
  )
  return { list, put, remove }
}

export type GitHostActions = Pick<ReturnType<typeof useGitHosts>, "put" | "remove">
