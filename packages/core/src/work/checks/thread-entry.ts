import { serveCalls } from "../../concurrency/thread-entry.ts"
import type { CheckedFile } from "./check-file.ts"
import type { Project } from "./facts/project.ts"

export const url = import.meta.url

const functions = {
  readFile: async (file: CheckedFile) => (await import("./check-file.ts")).readFile(file),
  checkWrittenFile: async (file: CheckedFile, paths: readonly string[]) =>
    (await import("./check-written-file.ts")).checkWrittenFile(file, paths),
  checkBetweenFiles: async (project: Project) => (await import("./between-files.ts")).checkBetweenFiles(project),
}
export type CheckFunctions = typeof functions

serveCalls(url, functions)
