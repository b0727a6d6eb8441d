import { posix } from "node:path"
import type { Git } from "../plumbing/git.ts"
import { fieldsOf, type GitPath, toText } from "../plumbing/git-path.ts"
import type { Content, StartFiles } from "./find-start-files.ts"

/**
 * Returns whether a commit has exactly these files at their paths. Their bytes count: an agent can make git's index and its
 * attributes call a changed file unchanged.
 */
export async function isAsCommitted(
  { git, root: cwd }: { git: Git; root: string },
  { paths, contents }: Pick<StartFiles, "paths" | "contents">,
  commit: string,
  { signal }: { signal: AbortSignal },
): Promise<boolean> {
  const targets = [...contents.values()].flatMap((content) => (content.type === "link" ? [content.to] : []))
  const named = [...new Set([...paths, ...targets])].map(toText)
  const committed = fieldsOf((await git(["ls-tree", "-r", "-z", commit, "--", ...named], { cwd, signal })).stdout)
  if (committed.length !== contents.size) return false
  for (const line of committed) {
    const [, mode, id = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
    const content = contents.get(path)
    if (!content || mode !== modeOf(content)) return false
    if (content.type === "file" && !content.ids.includes(id)) return false
    if (content.type === "link" && content.to !== (await targetOf(id, path))) return false
  }
  return true

  /** The path that a committed link names. A link through other links leads elsewhere, and counts as changed. */
  async function targetOf(id: string, path: GitPath): Promise<GitPath> {
    const { stdout } = await git(["cat-file", "blob", id], { cwd, signal })
    return posix.join(posix.dirname(path), stdout.toString("latin1")).replace(/\/$/, "")
  }
}

function modeOf(content: Content): string {
  if (content.type === "link") return "120000"
  return content.isProgram ? "100755" : "100644"
}
