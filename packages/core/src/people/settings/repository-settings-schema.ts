import * as z from "zod"
import { WorktreeSetup } from "../../files/worktrees/setup-schema.ts"

/** What an owner has set for one repository. */
const RepositorySettings = WorktreeSetup.extend({
  repository: z.string().trim().min(1).max(4096).describe("A folder or an address, as a session names it"),
}).meta({ id: "RepositorySettings" })

/** What an owner has set for repositories. */
export const RepositoriesSettings = z
  .strictObject({ repositories: z.array(RepositorySettings).max(100) })
  .meta({ id: "RepositoriesSettings" })
export type RepositoriesSettings = z.infer<typeof RepositoriesSettings>

/** The settings as they are kept, with the number of times that they were changed. */
export const StoredRepositoriesSettings = RepositoriesSettings.extend({ version: z.int().nonnegative() }).meta({
  id: "StoredRepositoriesSettings",
})
export type StoredRepositoriesSettings = z.infer<typeof StoredRepositoriesSettings>

/** All of the settings from now on. With a version, only if they still have it. */
export const RepositoriesSettingsChange = StoredRepositoriesSettings.partial({ version: true }).meta({
  id: "RepositoriesSettingsChange",
})
export type RepositoriesSettingsChange = z.infer<typeof RepositoriesSettingsChange>
