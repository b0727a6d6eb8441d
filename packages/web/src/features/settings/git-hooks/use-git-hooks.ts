import { CreatedGitHook, ListedGitHook, type NewGitHook } from "@switchyard/core/people/git-hooks/schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import * as z from "zod"
import { useStudio } from "../../../session/context/studio.ts"

const KEY = ["git-hooks"]
const GitHooks = z.object({ git_hooks: z.array(ListedGitHook) })
const Removed = z.object({ id: z.string() })

/** The user's git hooks, without their secrets, and the actions on them. */
export function useGitHooks() {
  const { api } = useStudio()
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries({ queryKey: KEY })
  const list = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /api/v1/git-hooks", { response: GitHooks, signal }),
  })
  const create = useMutation({
    mutationFn: (body: NewGitHook) => api.call("POST /api/v1/git-hooks", { body, response: CreatedGitHook }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: (hook: string) => api.call("DELETE /api/v1/git-hooks/{hook}", { path: { hook }, response: Removed }),
    onSettled,
  })
  return { list, create, remove }
}

export type GitHookActions = Pick<ReturnType<typeof useGitHooks>, "create" | "remove">
