import { createThread } from "../../concurrency/thread.ts"
import type { CheckedFile, ReadFile } from "./check-file.ts"
import type { Finding } from "./facts/finding.ts"
import type { Project } from "./facts/project.ts"
import type { CheckFunctions } from "./thread-entry.ts"

/** Timeout for one call. Normal files and projects take less than 0.1 s. */
const WITHIN_MS = 30_000

const call = createThread<CheckFunctions>(() => import("./thread-entry.ts"), { withinMs: WITHIN_MS })

/**
 * Calls `readFile` in a worker thread. Returns no findings if the text crashes a parser or takes too long, because
 * neither proves that the file is faulty.
 */
export async function readFileInThread(file: CheckedFile): Promise<ReadFile> {
  return (await call("readFile", file)) ?? { findings: [] }
}

/** Calls `readFileInThread` and returns only the findings. */
export async function checkFileInThread(file: CheckedFile): Promise<Finding[]> {
  return (await readFileInThread(file)).findings
}

/** Calls `checkWrittenFile` in a worker thread. Returns no findings if the text crashes a parser or takes too long. */
export async function checkWrittenFileInThread(file: CheckedFile, paths: readonly string[]): Promise<Finding[]> {
  return (await call("checkWrittenFile", file, paths)) ?? []
}

/** Calls `checkBetweenFiles` in a worker thread. Returns no findings if the check takes too long. */
export async function checkBetweenFilesInThread(project: Project): Promise<Finding[]> {
  return (await call("checkBetweenFiles", project)) ?? []
}
