import type { CheckName } from "@switchyard/core/work/gate/schema"
import { type Fields, object, optional, text } from "../../api/decode.ts"

const commands = object({
  install: optional(text),
  build: optional(text),
  lint: optional(text),
  test: optional(text),
  start: optional(text),
} satisfies Fields)

/** Commands of a session's checks, as returned by the server. */
export const SessionCheckCommands = object({ found: commands, set: commands })

export const CHECK_NAMES = ["install", "build", "lint", "test", "start"] as const satisfies readonly CheckName[]

export const CHECK_LABELS = {
  ...{ install: "Install", build: "Build", lint: "Lint", test: "Test", start: "Start" },
} satisfies Record<CheckName, string>
