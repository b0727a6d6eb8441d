import * as z from "zod"
import { event } from "../../kernel/define-event.ts"

const name = z.string().describe("The app's name, the first part of its address")

export const appEvents = [
  event("app_published", "A person published the session's page at a public address.", {
    name,
    workspace_version: z.int().positive().describe("Version that was published"),
    folder: z.string().describe("Folder that was published; empty for the whole project"),
    file_count: z.int().positive(),
    size_bytes: z.int().nonnegative(),
    replaced: z.boolean().describe("True if the address showed an earlier version before"),
  }),
  event("app_withdrawn", "A person withdrew the session's published page.", { name }),
] as const
