import * as z from "zod"
import { type Forge, type FoundPullRequest, MAX_DESCRIPTION_CHARS, STATUS_CONTEXT } from "./forge.ts"
import type { ForgeApi } from "./forge-api.ts"

const Pull = z.object({
  number: z.int().positive(),
  html_url: z.url({ protocol: /^https?$/ }),
  title: z.string(),
  body: z.string().nullish(),
  base: z.object({ ref: z.string() }),
  head: z.object({ ref: z.string() }),
})
const Repository = z.object({ default_branch: z.string() })

/** Gitea's maximum page size. GitHub filters by branch, so its page has at most one entry. */
const PAGE = 50

/**
 * Creates the interface to a repository on GitHub or Gitea. Their APIs differ only in how they find a pull request by
 * its branch.
 */
export function createGithub(
  api: ForgeApi,
  { owner, name, isGitea }: { owner: string; name: string; isGitea: boolean },
): Forge {
  const base = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  /** GitHub and Gitea both refuse a second pull request for a branch, but with different HTTP statuses. */
  const exists = isGitea ? 409 : 422

  async function* open(head: string) {
    const query = isGitea ? `limit=${PAGE}` : `per_page=${PAGE}&head=${encodeURIComponent(`${owner}:${head}`)}`
    for (let page = 1; ; page++) {
      const path = `${base}/pulls?state=open&${query}&page=${page}`
      const pulls = (await api.ask({ path, answer: z.array(Pull) })) ?? []
      yield* pulls
      if (pulls.length < PAGE) return
    }
  }

  async function find(head: string): Promise<FoundPullRequest | undefined> {
    for await (const pull of open(head)) if (pull.head.ref === head) return toFound(pull)
    return undefined
  }

  return {
    find,
    async defaultBranch() {
      return (await api.ask({ path: base, answer: Repository }))?.default_branch ?? "main"
    },
    async create({ draft, ...request }) {
      const body = isGitea && draft ? { ...request, title: `WIP: ${request.title}` } : { ...request, draft }
      const made = await api.ask({ method: "POST", path: `${base}/pulls`, body, answer: Pull }, [exists])
      return made && toFound(made)
    },
    async update(number, body) {
      await api.ask({ method: "PATCH", path: `${base}/pulls/${number}`, body: { body }, answer: z.unknown() })
    },
    async setStatus({ commit, state, description }) {
      const body = { state, context: STATUS_CONTEXT, description: description.slice(0, MAX_DESCRIPTION_CHARS) }
      await api.ask({ method: "POST", path: `${base}/statuses/${commit}`, body, answer: z.unknown() })
    },
  }
}

function toFound({ number, html_url: url, title, body, base }: z.infer<typeof Pull>): FoundPullRequest {
  return { number, url, title, body: body ?? "", base: base.ref }
}
