import type { CheckName } from "@switchyard/core/work/gate/schema"
import { each, object, optional, text } from "../../api/decode.ts"

export const CHECK_NAMES = ["install", "build", "lint", "test", "start"] as const satisfies readonly CheckName[]

const commands = object(each(optional(text), ...CHECK_NAMES))

/** Commands of a session's checks, as returned by the server. */
export const SessionCheckCommands = object({ found: commands, set: commands })

export const CHECK_LABELS = {
  ...{ install: "Install", build: "Build", lint: "Lint", test: "Test", start: "Start" },
} satisfies Record<CheckName, string>
