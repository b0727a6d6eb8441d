import type { Workspace } from "../../files/workspaces/files.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import { readProject } from "../gate/read-project.ts"
import type { Comparison } from "./tampering.ts"
import { mayWeakenChecks, namedTests } from "./test-files.ts"

/**
 * Compares two versions of a workspace. Returns both versions as projects, and the changed files that could weaken
 * their checks.
 */
export async function compareWorkspaces(
  before: Workspace,
  after: Workspace,
  options: { signal: AbortSignal },
): Promise<Comparison> {
  const [base, head] = await Promise.all([readProject(before, options), readProject(after, options)])
  const named = new Set([...namedTests(base), ...namedTests(head)])
  const paths = new Set([...before.manifest.files, ...after.manifest.files].map(({ path }) => path))
  const differs = (path: WorkspacePath) => sha256At(before, path) !== sha256At(after, path)
  const tests = [...paths].filter((path) => mayWeakenChecks(path, named) && differs(path))
  const read = async (path: WorkspacePath) => {
    const [was, is] = await Promise.all([before, after].map((files) => textAt(files, path, options)))
    return { path, before: was ?? null, after: is ?? null }
  }
  return { base, head, changed: await Promise.all(tests.map(read)) }
}

function sha256At(files: Workspace, path: WorkspacePath): string | undefined {
  const found = files.stat(path)
  return found?.type === "file" ? found.sha256 : undefined
}

/** Returns a file's text. Null if the file is missing, and empty if the file isn't text. */
async function textAt(files: Workspace, path: WorkspacePath, options: { signal: AbortSignal }): Promise<string | null> {
  return files.stat(path)?.type === "file" ? files.readText(path, options).catch(() => "") : null
}
