import * as z from "zod"
import { CheckCommands, ProjectType } from "../../work/gate/schema.ts"

/** The settings that follow from a repository's files. */
export const FoundProject = z
  .object({
    project_type: ProjectType.nullable().describe("Null where no manifest of a known language is there"),
    files: z.array(z.string()).describe("The manifests that say so"),
    commands: CheckCommands.describe("The checks and the start command; they are found anew whenever they are run"),
    setup_command: z.string().nullable().describe("The command that gives a new worktree its dependencies"),
    setup_needed: z.boolean().describe("False where worktrees get the dependencies of your checkout as links"),
  })
  .meta({ id: "FoundProject" })
export type FoundProject = z.infer<typeof FoundProject>

/** The settings that autoconfiguring may set. */
export const Configured = z.enum(["project_type", "setup_command"])
export type Configured = z.infer<typeof Configured>
