import { createThread } from "../../concurrency/thread.ts"
import { AppError } from "../../errors.ts"
import type { NamedVersion } from "./read-versions.ts"
import { RepositorySetup, SETUP_FILE, type SetupTools } from "./repository-setup-schema.ts"
import type { WorktreeSetup } from "./setup-schema.ts"
import type { SetupFunctions } from "./thread-entry.ts"

/** Maximum size of the file, which is far above the size of any sensible one. */
export const MAX_SETUP_FILE_BYTES = 16 * 1024

const WITHIN_MS = 5000
const call = createThread<SetupFunctions>(() => import("./thread-entry.ts"), { withinMs: WITHIN_MS })

/** Parses a repository's set-up file. Throws `setup_failed`, which names the field that is wrong. */
export async function parseRepositorySetup(text: string): Promise<RepositorySetup> {
  const yaml = (await call("readYaml", text)) ?? { fault: "It isn't valid YAML." }
  if ("fault" in yaml) throw wrongSetupFile(yaml.fault)
  const parsed = RepositorySetup.safeParse(yaml.value)
  if (parsed.success) return parsed.data
  const { path = [], message = "" } = parsed.error.issues[0] ?? {}
  throw wrongSetupFile(path.length > 0 ? `\`${path.join(".")}\`: ${message}` : message)
}

/** Reads the versions that a repository's version files name, from the files' texts by path. */
export async function parseVersionFiles(texts: Record<string, string>): Promise<NamedVersion[]> {
  return (await call("readVersions", texts)) ?? []
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
