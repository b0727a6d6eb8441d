import { GitHost, type NewGitHost } from "@switchyard/core/people/git-hosts/schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import * as z from "zod"
import { useStudio } from "../../../session/context/studio.ts"

const KEY = ["git-hosts"]
const GitHosts = z.object({ git_hosts: z.array(GitHost) })
const Removed = z.object({ host: z.string() })

/** The user's git hosts, without their tokens, and the actions on them. */
export function useGitHosts() {
  const { api } = useStudio()
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries({ queryKey: KEY })
  const list = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /api/v1/git-hosts", { response: GitHosts, signal }),
  })
  const put = useMutation({
    mutationFn: ({ host, body }: { host: string; body: NewGitHost }) =>
      api.call("PUT /api/v1/git-hosts/{host}", { path: { host }, body, response: GitHost }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: (host: string) => api.call("DELETE /api/v1/git-hosts/{host}", { path: { host }, response: Removed }),
    onSettled,
  })
  return { list, put, remove }
}

export type GitHostActions = Pick<ReturnType<typeof useGitHosts>, "put" | "remove">
