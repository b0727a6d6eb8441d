import * as z from "zod"
import { InnerPath, WorktreeSetup } from "../../files/worktrees/setup-schema.ts"
import { RepositoryChecks } from "../../work/gate/schema.ts"
import { PreviewSetting } from "../../work/preview/schema.ts"
import { VerificationChange } from "../../work/verification/settings-schema.ts"

/** Files that agents are told to read first. */
export const InstructionsPaths = z
  .array(InnerPath)
  .max(20)
  .describe("Files of the repository that agents are told to read first, beside `AGENTS.md` and others that are found")

/** The agent of tasks that name none. */
export const PreferredAgent = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .nullable()
  .describe("Who does a task that names no `coding_agent`: an account's name, or an agent's id")

/** An owner's settings for one repository. */
export const RepositorySettings = WorktreeSetup.extend({
  repository: z.string().trim().min(1).max(4096).describe("A folder or an address, as a session names it"),
  verification: VerificationChange.optional().describe("How tasks in it are verified; what isn't said is as usual"),
  checks: RepositoryChecks.describe(
    "Commands that check its work, in place of those that are found; a session's own come first",
  ),
  preview: PreviewSetting.optional().describe("How its own server is shown; the command is `checks.start`"),
  instructions_paths: InstructionsPaths.optional(),
  preferred_coding_agent: PreferredAgent.optional(),
}).meta({ id: "RepositorySettings" })
export type RepositorySettings = z.infer<typeof RepositorySettings>

/** The settings as they are kept, with the number of times that they were changed. */
export const StoredRepositoriesSettings = z
  .strictObject({ repositories: z.array(RepositorySettings).max(100), version: z.int().nonnegative() })
  .meta({ id: "StoredRepositoriesSettings" })
export type StoredRepositoriesSettings = z.infer<typeof StoredRepositoriesSettings>

/** All of the settings from now on; what isn't said of a repository is as usual. With a version, only if they still have it. */
export const RepositoriesSettingsChange = z
  .strictObject({
    repositories: z.array(RepositorySettings.partial().required({ repository: true })).max(100),
    version: z.int().nonnegative().optional(),
  })
  .meta({ id: "RepositoriesSettingsChange" })
export type RepositoriesSettingsChange = z.infer<typeof RepositoriesSettingsChange>
