import { join } from "node:path"
import type { Files } from "../files/files.ts"

const DOCUMENTS = ["AGENTS.md", "CLAUDE.md", "docs/architecture.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]

/** The absolute paths of a project's files with instructions for agents: those that are named, and those that have a usual name. */
export async function documentsIn(
  files: Pick<Files, "exists">,
  folder: string,
  named: string[] = [],
): Promise<string[]> {
  const paths = [...new Set([...named, ...DOCUMENTS])].map((name) => join(folder, name))
  const are = await Promise.all(paths.map((path) => files.exists(path)))
  return paths.filter((_, index) => are[index])
}
