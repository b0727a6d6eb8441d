import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { CheckCommands, CheckName, CheckResult } from "./schema.ts"

export const gateEvents = [
  event("check_commands_set", "A person set the commands by which the session's files are checked.", {
    commands: CheckCommands.describe("Those that aren't named are found"),
  }),
  event("check_requested", "The run asked for a check of its files, which is a run of its own.", {
    check_run_id: z.string(),
    workspace_version: z.int().nonnegative(),
    round: z.int().positive(),
  }),
  event("check_started", "A command was started on a clean copy of the files.", {
    name: CheckName,
    command: z.string(),
  }),
  event("check_finished", "A command has shown what it was to show, or not.", {
    ...CheckResult.shape,
    workspace_version: z.int().nonnegative(),
    output: z.string().describe("The end of what it printed"),
  }),
] as const
