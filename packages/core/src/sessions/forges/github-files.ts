import * as z from "zod"
import { mapConcurrent } from "../../concurrency/map-concurrent.ts"
import { AppError } from "../../errors.ts"
import type { ForgeApi } from "./forge-api.ts"
import { createRepository, type ForgeFiles, type PushedFile } from "./forge-files.ts"

const Repository = z.object({ default_branch: z.string() })
const Ref = z.object({ object: z.object({ sha: z.string() }) })
const Sha = z.object({ sha: z.string() })
const Commit = z.object({ sha: z.string(), tree: Sha })

/** Number of files uploaded at the same time. */
const AT_ONCE = 4

/**
 * Maximum number of binary files per push. Each needs its own request, and GitHub refuses more than 80 writes per
 * minute: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api. The remaining writes are for
 * the commit.
 */
const MAX_BINARIES = 70

/** Creates the interface to a repository's files on GitHub. */
export function createGithubFiles(api: ForgeApi, { owner, name }: { owner: string; name: string }): ForgeFiles {
  const base = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  const refPath = (branch: string) => branch.split("/").map(encodeURIComponent).join("/")
  const headOf = async (branch: string) =>
    (await api.ask({ path: `${base}/git/ref/heads/${refPath(branch)}`, answer: Ref }, [404, 409]))?.object.sha

  async function toEntry({ path, content, isExecutable, isBinary }: PushedFile) {
    const entry = { path, mode: isExecutable ? "100755" : "100644", type: "blob" }
    if (!isBinary) return { ...entry, content: content.toString() }
    const body = { content: content.toString("base64"), encoding: "base64" }
    const blob = await api.ask({ method: "POST", path: `${base}/git/blobs`, body, answer: Sha })
    return { ...entry, sha: blob?.sha }
  }

  return {
    async find() {
      const found = await api.ask({ path: base, answer: Repository }, [404])
      if (!found) return undefined
      return { defaultBranch: (await headOf(found.default_branch)) === undefined ? null : found.default_branch }
    },
    create: ({ isPrivate }) => createRepository(api, { owner, name }, { private: isPrivate }),
    hasBranch: async (branch) => (await headOf(branch)) !== undefined,
    check(files) {
      const count = files.filter(({ isBinary }) => isBinary).length
      if (count <= MAX_BINARIES) return
      const text = `The session has ${count} images and other binary files. GitHub accepts at most ${MAX_BINARIES} in one push. Download the zip and push it with git instead.`
      throw new AppError("invalid_request", text)
    },
    async push({ branch, base: from, message, files }) {
      const parent = (await headOf(from)) ?? ""
      const before = await api.ask({ path: `${base}/git/commits/${parent}`, answer: Commit })
      const tree = await Array.fromAsync(mapConcurrent(files, toEntry, { atOnce: AT_ONCE }))
      const treeBody = { base_tree: before?.tree.sha, tree }
      const made = await api.ask({ method: "POST", path: `${base}/git/trees`, body: treeBody, answer: Sha })
      const commitBody = { message, tree: made?.sha, parents: [parent] }
      const commit = await api.ask({ method: "POST", path: `${base}/git/commits`, body: commitBody, answer: Sha })
      const sha = commit?.sha ?? ""
      if (branch === from) {
        const path = `${base}/git/refs/heads/${refPath(branch)}`
        await api.ask({ method: "PATCH", path, body: { sha, force: false }, answer: z.unknown() })
      } else {
        const body = { ref: `refs/heads/${branch}`, sha }
        await api.ask({ method: "POST", path: `${base}/git/refs`, body, answer: z.unknown() })
      }
      return sha
    },
  }
}
