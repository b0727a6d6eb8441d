import { join } from "node:path"
import type { Files } from "../files/files.ts"

const DOCUMENTS = ["AGENTS.md", "CLAUDE.md", "docs/architecture.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]

/**
 * Returns the absolute paths of the existing instruction files for agents: the configured ones and the conventional
 * ones.
 */
export async function documentsIn(
  files: Pick<Files, "exists">,
  folder: string,
  named: string[] = [],
): Promise<string[]> {
  const paths = [...new Set([...named, ...DOCUMENTS])].map((name) => join(folder, name))
  const are = await Promise.all(paths.map((path) => files.exists(path)))
  return paths.filter((_, index) => are[index])
}
