import * as z from "zod"
import { AppError } from "../../errors.ts"
import { isSameRemote } from "../../files/worktrees/remote.ts"
import { WorktreeSetup } from "../../files/worktrees/setup-schema.ts"
import type { ProtectedOptions } from "../../protections.ts"
import {
  CheckCommands,
  CheckLimits,
  ProjectType,
  type RepositoryChecks,
  USUAL_LIMIT_SECONDS,
} from "../../work/gate/schema.ts"
import { DEFAULT_PREVIEW, PreviewSetting } from "../../work/preview/schema.ts"
import type { RepositoriesOfOwners } from "./repository-settings.ts"
import {
  InstructionsPaths,
  PreferredAgent,
  type RepositorySettings,
  type StoredRepositoriesSettings,
} from "./repository-settings-schema.ts"

/** Maps the fields of a project to the checks that they set in the repository's settings. */
const CHECKS = { lint_command: "lint", test_command: "test", preview_command: "start" } as const
type Command = keyof typeof CHECKS

/** Maps the fields of a project to the checks whose time they limit in the repository's settings. */
const LIMITS = { lint_timeout_seconds: "lint", test_timeout_seconds: "test" } as const
type Limit = keyof typeof LIMITS

const command = (check: (typeof CHECKS)[Command]) =>
  CheckCommands.shape[check]
    .unwrap()
    .nullable()
    .describe(`The repository's \`${check}\` command; null means the detected command`)
const commands = {
  lint_command: command("lint"),
  test_command: command("test"),
  preview_command: command("start"),
}

const limit = (check: (typeof LIMITS)[Limit]) =>
  CheckLimits.shape[check]
    .unwrap()
    .nullable()
    .describe(`Time limit for the \`${check}\` command in seconds; null means ${USUAL_LIMIT_SECONDS}`)
const limits = { lint_timeout_seconds: limit("lint"), test_timeout_seconds: limit("test") }

const { port_mode, port } = PreviewSetting.shape
const fields = {
  project_type: ProjectType.nullable().describe(
    "Project type whose commands are detected if the repository has several manifests; null means the first",
  ),
  setup_command: WorktreeSetup.shape.setup
    .min(1)
    .nullable()
    .describe("Shell command to run in a new worktree before an agent starts"),
  ...{ ...commands, ...limits, preview_port_mode: port_mode, preview_port: port },
  ...{ instructions_paths: InstructionsPaths, preferred_coding_agent: PreferredAgent },
}

/** A repository's settings in the format that other servers use. */
export const ProjectSettings = z.object({ project_path: z.string(), ...fields }).meta({ id: "ProjectSettings" })
export type ProjectSettings = z.infer<typeof ProjectSettings>

/** Changes to project settings. Omitted fields keep their value. */
export const ProjectChange = z
  .strictObject(fields)
  .partial()
  .extend({ project_path: z.string().trim().min(1).max(4096) })
  .meta({ id: "ProjectChange" })
export type ProjectChange = z.infer<typeof ProjectChange>

/** Owners' projects. They are a view of the owners' repository settings. Settings that aren't set are detected. */
export type Projects = ReturnType<typeof createProjects>

type Repositories = Pick<RepositoriesOfOwners, "read" | "replace">

export function createProjects(repositories: Repositories) {
  async function replace(
    owner: string,
    to: (now: StoredRepositoriesSettings["repositories"]) => Partial<RepositorySettings>[],
    options: ProtectedOptions,
  ) {
    const { repositories: now, version } = await repositories.read(owner, options)
    const next = to(now) as (Partial<RepositorySettings> & { repository: string })[]
    return repositories.replace(owner, { repositories: next, version }, options)
  }

  return {
    async list(owner: string, options: { signal?: AbortSignal }): Promise<ProjectSettings[]> {
      return (await repositories.read(owner, options)).repositories.map(toProject)
    },
    async get(owner: string, repository: string, options: { signal?: AbortSignal }): Promise<ProjectSettings> {
      const { repositories: all } = await repositories.read(owner, options)
      return toProject(find(all, repository) ?? { repository, checks: {} })
    },
    /** Changes a project's settings. Throws `validation_error` if they are inconsistent. */
    async change(owner: string, { project_path: repository, ...change }: ProjectChange, options: ProtectedOptions) {
      const { repositories: all } = await replace(
        owner,
        (now) => {
          const before = find(now, repository)
          const { instructions_paths = before?.instructions_paths } = change
          const { preferred_coding_agent = before?.preferred_coding_agent, setup_command } = change
          const after = {
            ...before,
            repository: before?.repository ?? repository,
            ...(setup_command !== undefined && { setup: setup_command ?? "" }),
            checks: changed(before?.checks, change),
            preview: changedPreview(before?.preview, change),
            ...(instructions_paths && { instructions_paths }),
            ...(preferred_coding_agent !== undefined && { preferred_coding_agent }),
          }
          return before ? now.map((one) => (one === before ? after : one)) : [...now, after]
        },
        options,
      )
      return toProject(find(all, repository) ?? { repository, checks: {} })
    },
    /** Removes all settings of the repository. */
    async remove(owner: string, repository: string, options: ProtectedOptions): Promise<void> {
      await replace(owner, (now) => now.filter((one) => !isSameRemote(one.repository, repository)), options)
    },
  }
}

function find(all: RepositorySettings[], repository: string): RepositorySettings | undefined {
  return all.findLast((one) => isSameRemote(one.repository, repository))
}

function toProject({
  repository,
  checks,
  setup = "",
  preview = DEFAULT_PREVIEW,
  instructions_paths = [],
  preferred_coding_agent = null,
}: Pick<RepositorySettings, "repository" | "checks"> & Partial<RepositorySettings>): ProjectSettings {
  const { lint = null, test = null, start = null, limits_seconds: given = {}, project_type = null } = checks
  const about = { project_type, setup_command: setup || null }
  const commands = { lint_command: lint, test_command: test, preview_command: start }
  const limits = { lint_timeout_seconds: given.lint ?? null, test_timeout_seconds: given.test ?? null }
  const shown = { preview_port_mode: preview.port_mode, preview_port: preview.port }
  return {
    ...{ project_path: repository, ...about, ...commands, ...limits, ...shown },
    ...{ instructions_paths, preferred_coding_agent },
  }
}

function changedPreview(
  before: PreviewSetting = DEFAULT_PREVIEW,
  { preview_port_mode, preview_port }: Pick<ProjectChange, "preview_port_mode" | "preview_port">,
): PreviewSetting {
  const { port_mode = before.port_mode, port = before.port } = { port_mode: preview_port_mode, port: preview_port }
  const parsed = PreviewSetting.safeParse({ port_mode, port })
  if (parsed.success) return parsed.data
  throw new AppError("validation_error", "Manual mode needs a port.", { preview_port_mode: port_mode })
}

function changed(
  { limits_seconds: before, ...commands }: RepositoryChecks = {},
  change: Partial<Pick<ProjectChange, Command | Limit | "project_type">>,
): RepositoryChecks {
  const limits = { ...before, ...renamed<Limit, number>(LIMITS, change) }
  const isLimited = Object.values(limits).some((limit) => limit !== undefined)
  return {
    ...commands,
    ...(change.project_type !== undefined && { project_type: change.project_type ?? undefined }),
    ...renamed<Command, string>(CHECKS, change),
    ...(isLimited && { limits_seconds: limits }),
  }
}

/** Renames a change's fields. Converts null to undefined. */
function renamed<Field extends string, Value>(
  names: Readonly<Record<Field, string>>,
  change: Readonly<Partial<Record<Field, Value | null>>>,
): Record<string, Value | undefined> {
  const said = (Object.keys(names) as Field[]).filter((field) => change[field] !== undefined)
  return Object.fromEntries(said.map((field) => [names[field], change[field] ?? undefined]))
}
