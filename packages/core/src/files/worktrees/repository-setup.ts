import { AppError } from "../../errors.ts"
import type { NamedVersion } from "./read-versions.ts"
import { callThread, parseRepositoryFile } from "./repository-file.ts"
import { RepositorySetup, SETUP_FILE, type SetupTools } from "./repository-setup-schema.ts"
import type { WorktreeSetup } from "./setup-schema.ts"

/** Parses a repository's set-up file. Throws `setup_failed`, which names the line and the field that is wrong. */
export async function parseRepositorySetup(text: string): Promise<RepositorySetup> {
  const parsed = await parseRepositoryFile(RepositorySetup, text)
  if ("fault" in parsed) throw wrongSetupFile(parsed.fault)
  return parsed.value
}

/** Reads the versions that a repository's version files name, from the files' texts by path. */
export async function parseVersionFiles(texts: Record<string, string>): Promise<NamedVersion[]> {
  return (await callThread("readVersions", texts)) ?? []
}

/** Creates the error for a set-up file that can't be used. */
export function wrongSetupFile(reason: string): AppError {
  const advice = "Correct the file in the repository, commit it, and start a new session from that commit."
  const full = reason.endsWith(".") ? reason : `${reason}.`
  return new AppError("setup_failed", `The repository's ${SETUP_FILE} can't be used. ${full} ${advice}`)
}

/** Returns the tools as arguments for mise, such as `node@22`. */
export function toolNames(tools: SetupTools): string[] {
  return Object.entries(tools).map(([name, version]) => `${name}@${version}`)
}

/** Combines an owner's settings with the repository's file. The owner's command and folders take precedence. */
export function combineSetups(own: WorktreeSetup, { setup, cache }: RepositorySetup): WorktreeSetup {
  return { ...own, setup: own.setup || setup, cache: own.cache.length > 0 ? own.cache : cache }
}
