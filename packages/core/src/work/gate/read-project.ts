import type { Workspace } from "../../files/workspaces/files.ts"
import type { ProjectFiles } from "./check.ts"

/** Reads the text of the project's top-level files, on which its checks depend. */
export async function readProject(
  { manifest, stat, readText }: Pick<Workspace, "manifest" | "stat" | "readText">,
  options: { signal: AbortSignal },
): Promise<ProjectFiles> {
  const texts = new Map<string, string>()
  for (const { path } of manifest.files.filter(({ path, binary }) => !binary && !path.includes("/"))) {
    texts.set(path, await readText(path, options).catch(() => ""))
  }
  const paths = manifest.files.map(({ path }) => path)
  return {
    has: (path) => stat(path as (typeof paths)[number])?.type === "file",
    text: (path) => texts.get(path),
    paths: () => paths,
  }
}
