import * as z from "zod"
import { CheckCommands, ProjectType } from "../../work/gate/schema.ts"

/** Settings detected from a repository's files. */
export const FoundProject = z
  .object({
    project_type: ProjectType.nullable().describe("Null if there is no manifest of a known language"),
    files: z.array(z.string()).describe("Manifests that determine the type"),
    commands: CheckCommands.describe("Checks and start command. They're detected again for every run"),
    setup_command: z.string().nullable().describe("Command that installs a new worktree's dependencies"),
    setup_needed: z.boolean().describe("False if worktrees link to the dependencies of your checkout"),
  })
  .meta({ id: "FoundProject" })
export type FoundProject = z.infer<typeof FoundProject>

/** Settings that autoconfiguration may set. */
export const Configured = z.enum(["project_type", "setup_command"])
export type Configured = z.infer<typeof Configured>
