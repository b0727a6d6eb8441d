import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { CheckCommands, CheckName, CheckResult, checkedNode, Picture } from "./schema.ts"

const checked = {
  workspace_version: z.int().nonnegative().optional().describe("Version of the session's files"),
  commit: z.string().optional().describe("Checked commit in the repository, instead of a version"),
  tests_of: z.string().optional().describe("Commit or version whose tests were used instead"),
  ...checkedNode,
}

export const gateEvents = [
  event("check_commands_set", "A person set the commands that check the session's files.", {
    commands: CheckCommands.describe("Commands that aren't set are auto-detected"),
  }),
  event("check_requested", "The run requested a check of its files, which is a separate run.", {
    check_run_id: z.string(),
    workspace_version: z.int().nonnegative(),
    round: z.int().positive(),
    tests_of: z.string().optional().describe("Version whose tests are used instead"),
    ...checkedNode,
  }),
  event("check_started", "A check command was started on a clean copy of the files.", {
    name: CheckName,
    command: z.string(),
  }),
  event("check_finished", "A command of a check ended.", {
    ...CheckResult.shape,
    ...checked,
    output: z.string().describe("Output; if it is long, the part from the first error on, and the end"),
  }),
  event("build_output_stored", "A check stored the page that the project's build made.", {
    workspace_version: z.int().nonnegative().describe("Version that was built"),
    folder: z.string(),
    manifest: z.string().describe("The folder's files"),
  }),
  event("page_opened", "A browser opened the built page.", {
    ...checked,
    picture: Picture.nullable().describe("Screenshot; null if no browser opened the page"),
    errors: z.array(z.string()).describe("Errors thrown by the page"),
    other_hosts: z.array(z.string()).describe("Other hosts requested by the page, which checks can't reach"),
    reason: z.string().optional().describe("Why there is no picture"),
  }),
] as const
