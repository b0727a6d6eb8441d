import * as z from "zod"
import type { ForgeApi } from "./forge-api.ts"
import { createRepository, type ForgeFiles } from "./forge-files.ts"

const Repository = z.object({ default_branch: z.string(), empty: z.boolean().default(false) })
const Tree = z.object({ tree: z.array(z.object({ path: z.string(), type: z.string(), sha: z.string() })).nullish() })
const Written = z.object({ commit: z.object({ sha: z.string() }) })

/** Maximum page size when listing a tree on Gitea. */
const PAGE = 1000

/** Creates the interface to a repository's files on Gitea. Gitea's API doesn't support permission bits. */
export function createGiteaFiles(api: ForgeApi, { owner, name }: { owner: string; name: string }): ForgeFiles {
  const base = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  const branchPath = (branch: string) => `${base}/branches/${encodeURIComponent(branch)}`

  /** Returns the hash of each file on a branch. */
  async function filesOn(branch: string): Promise<Map<string, string>> {
    const files = new Map<string, string>()
    for (let page = 1; ; page++) {
      const path = `${base}/git/trees/${encodeURIComponent(branch)}?recursive=true&per_page=${PAGE}&page=${page}`
      const entries = (await api.ask({ path, answer: Tree }))?.tree ?? []
      for (const entry of entries) if (entry.type === "blob") files.set(entry.path, entry.sha)
      if (entries.length < PAGE) return files
    }
  }

  return {
    async find() {
      const found = await api.ask({ path: base, answer: Repository }, [404])
      return found && { defaultBranch: found.empty ? null : found.default_branch }
    },
    create: ({ isPrivate }) => createRepository(api, { owner, name }, { private: isPrivate, default_branch: "main" }),
    hasBranch: async (branch) =>
      (await api.ask({ path: branchPath(branch), answer: z.unknown() }, [404])) !== undefined,
    async push({ branch, base: from, message, files }) {
      const before = await filesOn(from)
      const changes = files.map(({ path, content }) => {
        const sha = before.get(path)
        const operation = sha === undefined ? "create" : "update"
        return { operation, path, content: content.toString("base64"), ...(sha !== undefined && { sha }) }
      })
      const body = { branch: from, ...(branch !== from && { new_branch: branch }), message, files: changes }
      const written = await api.ask({ method: "POST", path: `${base}/contents`, body, answer: Written })
      return written?.commit.sha ?? ""
    },
  }
}
