import { formatCount, formatDuration } from "../../text/format.ts"
import type { CheckCommands, CheckResult } from "../gate/schema.ts"
import { describeCheck } from "../gate/verdict.ts"
import { debug, row, success, warning } from "./headline.ts"

/** Headlines for events of checks, which run the built project. */
export const gateHeadlines = {
  check_commands_set: ({ commands }: { commands: CheckCommands }) =>
    row("system", "Check commands set", [Object.keys(commands).join(", ") || "as detected"]),
  check_requested: ({ workspace_version, tests_of }: { workspace_version: number; tests_of?: string }) =>
    row(
      "system",
      `Check of version ${workspace_version} requested${tests_of ? `, with the tests of ${tests_of}` : ""}`,
    ),
  check_started: ({ command }: { command: string }) => debug("system", `Running ${command}`),
  build_output_stored: ({ folder }: { folder: string }) =>
    debug("system", `The build's output in ${folder} was stored`),
  page_opened: ({ picture, errors, reason }: { picture: object | null; errors: string[]; reason?: string }) =>
    picture === null
      ? debug("system", `No screenshot: ${reason ?? "no browser available."}`)
      : row("system", "A browser opened the page", errors.length > 0 ? [formatCount(errors.length, "error")] : []),
  check_finished: (event: CheckResult) =>
    (event.passed ? success : warning)(
      "system",
      describeCheck(event),
      [formatDuration(event.duration_ms)],
      event.errors?.join("\n"),
    ),
}
