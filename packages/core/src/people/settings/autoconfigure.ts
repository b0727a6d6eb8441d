import { AppError } from "../../errors.ts"
import { folderOf } from "../../files/worktrees/remote.ts"
import { declaredChecks, findChecks, type ProjectFiles } from "../../work/gate/find-checks.ts"
import { findSetup } from "../../work/gate/find-setup.ts"
import { CheckName, type ProjectType } from "../../work/gate/schema.ts"
import { Configured, type FoundProject } from "./autoconfigure-schema.ts"
import type { Projects } from "./projects.ts"

/** A repository's files as they are in somebody's checkout, as far as its settings depend on them. */
export interface Checkout extends ProjectFiles {
  /** Whether there is a folder of this name at the top, whatever git makes of it. */
  hasFolder(name: string): boolean
}

/** Reads the checkout in a folder. Throws `task_invalid` for one in which nobody can work. */
export type ReadCheckout = (folder: string, options: { signal?: AbortSignal }) => Promise<Checkout>

export interface AutoconfigureDeps {
  projects: Pick<Projects, "get" | "change">
  /** Absent where no folder of this machine may be named. */
  readCheckout?: ReadCheckout | undefined
}

/**
 * Finds a repository's settings in its files, and with `apply` sets those of them that aren't set yet: what somebody has set stays.
 * Throws `invalid_request` for a repository whose files aren't on this machine, and on a server that sees no folders.
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
  // These are what each check would find anyway, so they weaken nothing.
  await projects.change(owner, { project_path: repository, ...changes }, { ...options, mayLoosen: true })
  return { found, changed }
}

const ELSEWHERE =
  "Only a folder of the server's machine can be looked at. What you know of other repositories, set yourself."
const DEPLOYED =
  "This server doesn't run on your machine and sees none of your folders, so it finds no settings there. Set what you know of the repository yourself."

/** The settings that a checkout's files ask for. A type that somebody has set is taken for true. */
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
