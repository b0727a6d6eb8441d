import { CreatedGitHook, ListedGitHook, type NewGitHook } from "@switchyard/core/people/git-hooks/schema"
import * as z from "zod"
import { useChange, useResponse } from "../../../session/context/requests.ts"

const KEY = ["git-hooks"]
const GitHooks = z.object({ git_hooks: z.array(ListedGitHook) })
const Removed = z.object({ id: z.string() })

/** Returns the user's git hooks, without their secrets, and actions on them. */
export function useGitHooks() {
  const list = useResponse(KEY, "GET /api/v1/git-hooks", { response: GitHooks })
  const create = useChange(
    (api, body: NewGitHook) => api.call("POST /api/v1/git-hooks", { body, response: CreatedGitHook }),
    KEY,
  )
  const remove = useChange(
    (api, hook: string) => api.call("DELETE /api/v1/git-hooks/{hook}", { path: { hook }, response: Removed }),
    KEY,
  )
  return { list, create, remove }
}

export type GitHookActions = Pick<ReturnType<typeof useGitHooks>, "create" | "remove">
