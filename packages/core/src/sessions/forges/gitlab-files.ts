import * as z from "zod"
import type { ForgeApi } from "./forge-api.ts"
import type { ForgeFiles } from "./forge-files.ts"

const Project = z.object({ default_branch: z.string().nullish(), empty_repo: z.boolean().default(false) })
const Namespace = z.object({ id: z.int() })
const Tree = z.array(z.object({ path: z.string(), type: z.string() }))
const Commit = z.object({ id: z.string() })

const PAGE = 100

/**
 * Creates the interface to a project's files on GitLab. GitLab's API doesn't set permission bits when it creates files.
 */
export function createGitlabFiles(api: ForgeApi, project: string): ForgeFiles {
  const base = `/projects/${encodeURIComponent(project)}`

  async function pathsOn(branch: string): Promise<Set<string>> {
    const paths = new Set<string>()
    for (let page = 1; ; page++) {
      const query = `ref=${encodeURIComponent(branch)}&recursive=true&per_page=${PAGE}&page=${page}`
      const entries = (await api.ask({ path: `${base}/repository/tree?${query}`, answer: Tree })) ?? []
      for (const { path, type } of entries) if (type === "blob") paths.add(path)
      if (entries.length < PAGE) return paths
    }
  }

  return {
    async find() {
      const found = await api.ask({ path: base, answer: Project }, [404])
      return found && { defaultBranch: found.empty_repo ? null : (found.default_branch ?? null) }
    },
    async create({ isPrivate }) {
      const parts = project.split("/")
      const path = parts.pop() ?? ""
      const namespace = encodeURIComponent(parts.join("/"))
      const found = await api.ask({ path: `/namespaces/${namespace}`, answer: Namespace })
      const visibility = isPrivate ? "private" : "public"
      const body = { name: path, path, namespace_id: found?.id, visibility, initialize_with_readme: true }
      const made = await api.ask({ method: "POST", path: "/projects", body, answer: Project })
      return { defaultBranch: made?.default_branch ?? "main" }
    },
    async hasBranch(branch) {
      const path = `${base}/repository/branches/${encodeURIComponent(branch)}`
      return (await api.ask({ path, answer: z.unknown() }, [404])) !== undefined
    },
    async push({ branch, base: from, message: commit_message, files }) {
      const before = await pathsOn(from)
      const actions = files.map(({ path: file_path, content }) => {
        const action = before.has(file_path) ? "update" : "create"
        return { action, file_path, content: content.toString("base64"), encoding: "base64" }
      })
      const body = { branch, ...(branch !== from && { start_branch: from }), commit_message, actions, force: false }
      const made = await api.ask({ method: "POST", path: `${base}/repository/commits`, body, answer: Commit })
      return made?.id ?? ""
    },
  }
}
