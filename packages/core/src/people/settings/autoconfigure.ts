import { AppError } from "../../errors.ts"
import { folderOf } from "../../files/worktrees/remote.ts"
import type { ProjectFiles } from "../../work/gate/check.ts"
import { declaredChecks, findChecks } from "../../work/gate/find-checks.ts"
import { findSetup } from "../../work/gate/find-setup.ts"
import { CheckName, type ProjectType } from "../../work/gate/schema.ts"
import { Configured, type FoundProject } from "./autoconfigure-schema.ts"
import type { Projects } from "./projects.ts"

/** The parts of a local checkout that are used to detect a repository's settings. */
export interface Checkout extends ProjectFiles {
  /** Returns true if there is a top-level folder with this name. Also finds folders that git ignores. */
  hasFolder(name: string): boolean
}

/** Reads the checkout in a folder. Throws `task_invalid` if agents can't work in this folder. */
export type ReadCheckout = (folder: string, options: { signal?: AbortSignal }) => Promise<Checkout>

export interface AutoconfigureDeps {
  projects: Pick<Projects, "get" | "change">
  /** Undefined if requests can't refer to folders on this machine. */
  readCheckout?: ReadCheckout | undefined
}

/**
 * Detects a repository's settings from its files. With `apply`, stores those settings that aren't set yet. Throws
 * `invalid_request` if the repository isn't on this machine, or if the server can't access folders.
 */
export async function autoconfigure(
  { projects, readCheckout }: AutoconfigureDeps,
  owner: string,
  { repository, apply }: { repository: string; apply: boolean },
  options: { signal: AbortSignal },
): Promise<{ found: FoundProject; changed: Configured[] }> {
  const folder = folderOf({ url: repository })
  if (!readCheckout) throw new AppError("invalid_request", DEPLOYED, { project_path: repository })
  if (folder === undefined) throw new AppError("invalid_request", ELSEWHERE, { project_path: repository })
  const before = await projects.get(owner, repository, options)
  const found = findProject(await readCheckout(folder, options), before.project_type ?? undefined)
  const changes = {
    ...(before.project_type === null && found.project_type !== null && { project_type: found.project_type }),
    ...(before.setup_command === null && found.setup_needed && { setup_command: found.setup_command }),
  }
  const changed = Configured.options.filter((name) => Object.hasOwn(changes, name))
  if (!apply || changed.length === 0) return { found, changed: [] }
  // This can't weaken anything, because each check would detect the same commands anyway.
  await projects.change(owner, { project_path: repository, ...changes }, { ...options, mayLoosen: true })
  return { found, changed }
}

const ELSEWHERE = "Only a folder on the server's machine can be examined. Configure other repositories manually."
const DEPLOYED =
  "This server doesn't run on your machine and can't see your folders. Configure the repository manually."

/**
 * Returns the settings detected from a checkout's files. If a project type is already set, uses that type for the
 * detection.
 */
export function findProject(checkout: Checkout, set?: ProjectType): FoundProject {
  const declared = declaredChecks(checkout, set)
  const type = set ?? declared?.type ?? null
  const checks = findChecks(checkout, { project_type: set })
  const setup = findSetup(checkout, type)
  const isLinked = setup?.folders.some((folder) => checkout.hasFolder(folder)) ?? false
  return {
    project_type: type,
    files: declared?.manifests ?? [],
    commands: Object.fromEntries(
      CheckName.options.flatMap((name) => {
        const check = checks.find((one) => one.name === name && one.page === undefined)
        return check ? [[name, check.command]] : []
      }),
    ),
    setup_command: setup?.command ?? null,
    setup_needed: setup !== undefined && !isLinked,
  }
}
