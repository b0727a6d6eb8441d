import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { RepositoryChecks } from "../gate/schema.ts"

const workspace_version = z.int().nonnegative()

export const previewEvents = [
  event("server_preview_requested", "A person requested a preview of the project's own server.", {
    workspace_version,
    manifest: z
      .string()
      .nullable()
      .describe("Manifest of that version; null if the session only has the repository's files"),
    follows: z.boolean().describe("True if the server restarts with each later version"),
    commands: RepositoryChecks.optional().describe("The commands configured for the session's repository"),
    port: z.int().optional().describe("The server's port, if configured"),
  }),
  event("server_preview_stop_requested", "A person asked to stop the preview.", {}),
  event("server_preview_starting", "A command was started: the project's server, or a step before it.", {
    workspace_version,
    command: z.string(),
  }),
  event("server_preview_ready", "The project's server responds to requests.", {
    workspace_version,
    page: z.boolean().optional().describe("False if there is no page at `/`"),
  }),
  event("server_preview_ended", "The project's server ended or couldn't start.", {
    workspace_version,
    reason: z.string(),
    failed: z.boolean().describe("True if the server ended by itself or couldn't start"),
    output: z.string().describe("End of the last command's output"),
  }),
] as const
