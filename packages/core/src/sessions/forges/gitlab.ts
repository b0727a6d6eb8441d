import * as z from "zod"
import { isAppError } from "../../errors.ts"
import { type Forge, type FoundPullRequest, MAX_DESCRIPTION_CHARS, STATUS_CONTEXT } from "./forge.ts"
import type { ForgeApi } from "./forge-api.ts"

const MergeRequest = z.object({
  iid: z.int().positive(),
  web_url: z.url({ protocol: /^https?$/ }),
  title: z.string(),
  description: z.string().nullish(),
  target_branch: z.string(),
})
const Project = z.object({ default_branch: z.string() })
const ALREADY_THERE = 409

/** Creates the interface to a GitLab project, identified by its full path. */
export function createGitlab(api: ForgeApi, project: string): Forge {
  const base = `/projects/${encodeURIComponent(project)}`

  return {
    async defaultBranch() {
      return (await api.ask({ path: base, answer: Project }))?.default_branch ?? "main"
    },
    async find(head) {
      const path = `${base}/merge_requests?state=opened&source_branch=${encodeURIComponent(head)}`
      const [found] = (await api.ask({ path, answer: z.array(MergeRequest) })) ?? []
      return found && toFound(found)
    },
    async create({ head, base: target_branch, title, body: description, draft }) {
      const body = { source_branch: head, target_branch, title: draft ? `Draft: ${title}` : title, description }
      const asked = { method: "POST", path: `${base}/merge_requests`, body, answer: MergeRequest }
      const made = await api.ask(asked, [ALREADY_THERE])
      return made && toFound(made)
    },
    async update(number, description) {
      const path = `${base}/merge_requests/${number}`
      await api.ask({ method: "PUT", path, body: { description }, answer: z.unknown() })
    },
    async setStatus({ commit, state, description }) {
      const body = {
        state: state === "success" ? "success" : "failed",
        name: STATUS_CONTEXT,
        description: description.slice(0, MAX_DESCRIPTION_CHARS),
      }
      const asked = { method: "POST", path: `${base}/statuses/${commit}`, body, answer: z.unknown() }
      await api.ask(asked).catch((error: unknown) => {
        if (!isSetAlready(error)) throw error
      })
    },
  }
}

/**
 * True if the error means that the status was already set. GitLab refuses to set a status to its current value, with
 * the same HTTP status as for any invalid request.
 */
function isSetAlready(error: unknown): boolean {
  if (!isAppError(error, "repository_error") || error.details.status !== 400) return false
  return String(error.details.said).startsWith("Cannot transition status")
}

function toFound({ iid, web_url, title, description, target_branch }: z.infer<typeof MergeRequest>): FoundPullRequest {
  return { number: iid, url: web_url, title, body: description ?? "", base: target_branch }
}
