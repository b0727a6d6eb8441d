import * as z from "zod"
import { InnerPath, WorktreeSetup } from "../../files/worktrees/setup-schema.ts"
import { RepositoryChecks } from "../../work/gate/schema.ts"
import { PreviewSetting } from "../../work/preview/schema.ts"
import { VerificationChange } from "../../work/verification/settings-schema.ts"

/** Files that agents must read before they start. */
export const InstructionsPaths = z
  .array(InnerPath)
  .max(20)
  .describe("Files in the repository that agents must read first, besides `AGENTS.md` and other detected files")

/** Agent for tasks that don't name one. */
export const PreferredAgent = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .nullable()
  .describe("Agent for tasks without a `coding_agent`: an account name or agent ID")

/** Size of the containers of sessions in a repository. */
const ContainerSizeName = z
  .string()
  .trim()
  .max(20)
  .nullable()
  .describe("On a stage, size of its sessions' containers, such as `4x16` for 4 vCPUs and 16 GB; null for the default")

export const RepositorySettings = WorktreeSetup.extend({
  repository: z.string().trim().min(1).max(4096).describe("Folder or URL, as in a session"),
  verification: VerificationChange.optional().describe("Verification of its tasks; omitted fields use the default"),
  checks: RepositoryChecks.describe(
    "Check commands that replace the detected ones; the session's own commands take precedence",
  ),
  preview: PreviewSetting.optional().describe(
    "Preview served by the project's own server, which is started with `checks.start`",
  ),
  instructions_paths: InstructionsPaths.optional(),
  preferred_coding_agent: PreferredAgent.optional(),
  container_size: ContainerSizeName.optional(),
}).meta({ id: "RepositorySettings" })
export type RepositorySettings = z.infer<typeof RepositorySettings>

/** Stored settings, with a version that increases with every change. */
export const StoredRepositoriesSettings = z
  .strictObject({ repositories: z.array(RepositorySettings).max(100), version: z.int().nonnegative() })
  .meta({ id: "StoredRepositoriesSettings" })
export type StoredRepositoriesSettings = z.infer<typeof StoredRepositoriesSettings>

/**
 * Replaces all settings. If a repository omits a field, the field is reset to its default. If a version is given, it
 * must be the stored version.
 */
export const RepositoriesSettingsChange = z
  .strictObject({
    repositories: z.array(RepositorySettings.partial().required({ repository: true })).max(100),
    version: z.int().nonnegative().optional(),
  })
  .meta({ id: "RepositoriesSettingsChange" })
export type RepositoriesSettingsChange = z.infer<typeof RepositoriesSettingsChange>
