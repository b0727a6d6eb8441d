import type { Finding } from "./facts/finding.ts"
import { foldersOf } from "./facts/paths.ts"
import type { FileFacts } from "./facts/project.ts"
import { checkBetweenFilesInThread, readFileInThread } from "./in-thread.ts"

/** Finds definite faults in a project. In `files`, the text of a binary or very large file is null. */
export async function checkProject(files: ReadonlyMap<string, string | null>): Promise<Finding[]> {
  const findings: Finding[] = []
  const facts = new Map<string, FileFacts>()
  for (const [path, text] of files) {
    if (text === null) continue
    const read = await readFileInThread({ path, text })
    findings.push(...read.findings)
    if (read.facts) facts.set(path, read.facts)
  }
  const project = { files, facts, folders: foldersOf(files.keys()) }
  return [...findings, ...(await checkBetweenFilesInThread(project))]
}
