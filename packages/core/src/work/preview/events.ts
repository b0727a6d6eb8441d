import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { RepositoryChecks } from "../gate/schema.ts"

const workspace_version = z.int().nonnegative()

export const previewEvents = [
  event("server_preview_requested", "A person wants to see the project's own server at work.", {
    workspace_version,
    manifest: z
      .string()
      .nullable()
      .describe("The list of that version's files; null where there are none but those of the repository"),
    follows: z.boolean().describe("Whether it is started anew with each later version"),
    commands: RepositoryChecks.optional().describe("Those that were set for the session's repository"),
    port: z.int().optional().describe("The port of the server, where that was set"),
  }),
  event("server_preview_stop_requested", "A person has seen enough of it.", {}),
  event("server_preview_starting", "A command was started, on the way to the project's server or as that.", {
    workspace_version,
    command: z.string(),
  }),
  event("server_preview_ready", "The project's server answers.", { workspace_version }),
  event("server_preview_ended", "The project's server is not there any more, or never was.", {
    workspace_version,
    reason: z.string(),
    failed: z.boolean().describe("Whether it ended by itself, or could not be started"),
    output: z.string().describe("The end of what the last command printed"),
  }),
] as const
