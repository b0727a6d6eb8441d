import { checkFile } from "./check-file.ts"
import type { Finding } from "./finding.ts"

/** What is certainly wrong with a project, by its files: their texts, or null for those that are not text. */
export async function checkProject(files: ReadonlyMap<string, string | null>): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [path, text] of files) {
    if (text !== null) findings.push(...(await checkFile({ path, text })))
  }
  return findings
}
