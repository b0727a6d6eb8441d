import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { CheckCommands, CheckName, CheckResult, checkedNode, Picture } from "./schema.ts"

/** The subject of a check. */
const checked = {
  workspace_version: z.int().nonnegative().optional().describe("The version of the session's files"),
  commit: z.string().optional().describe("Or the commit of its repository"),
  tests_of: z.string().optional().describe("The commit or version whose tests were put in place of its own"),
  ...checkedNode,
}

export const gateEvents = [
  event("check_commands_set", "A person set the commands by which the session's files are checked.", {
    commands: CheckCommands.describe("Those that aren't named are found"),
  }),
  event("check_requested", "The run asked for a check of its files, which is a run of its own.", {
    check_run_id: z.string(),
    workspace_version: z.int().nonnegative(),
    round: z.int().positive(),
    tests_of: z.string().optional().describe("The version whose tests are put in place of its own"),
    ...checkedNode,
  }),
  event("check_started", "A command was started on a clean copy of the files.", {
    name: CheckName,
    command: z.string(),
  }),
  event("check_finished", "A command has shown what it was to show, or not.", {
    ...CheckResult.shape,
    ...checked,
    output: z.string().describe("The end of what it printed"),
  }),
  event("page_opened", "A browser opened the page of what was built.", {
    ...checked,
    picture: Picture.nullable().describe("What it looks like; null where no browser showed it"),
    errors: z.array(z.string()).describe("What the page threw"),
    other_hosts: z.array(z.string()).describe("Those from which it wanted things, which a check has no way to"),
    reason: z.string().optional().describe("Why there is no picture"),
  }),
] as const
