import { describeCheck } from "@switchyard/core/work/gate/verdict"
import type { EventOfType, StudioEvent } from "./event.ts"

/** Agent ID of check runs. */
export const CHECKER = "checks"

/** Results so far of running what was built. */
export interface CheckView {
  runId: string
  status: "running" | "passed" | "failed" | "not_run"
  /** Version of the files being checked. */
  version: number | null
  steps: readonly CheckStep[]
  /** Why nothing was run. */
  reason: string | null
  /** Screenshot of its page, once a browser has opened it. */
  picture: PictureView | null
}

/** A picture stored as one of the session's artifacts. */
export interface PictureView {
  sha256: string
  width: number
  height: number
}

/** A command, with its result once it has one. */
export interface CheckStep {
  name: string
  command: string
  state: "running" | "passed" | "failed" | "blocked"
  text: string
  /** Its shortened output. */
  output: string
}

/** Returns the latest check after one more event from the checker; the same object if the event doesn't affect it. */
export function reduceCheck(check: CheckView | null, event: StudioEvent): CheckView | null {
  if (event.type === "run_created") {
    return { runId: event.run_id, status: "running", version: versionOf(event), steps: [], reason: null, picture: null }
  }
  if (!check || event.run_id !== check.runId) return check
  switch (event.type) {
    // Another runner starts over.
    case "run_claimed":
      return { ...check, steps: [], picture: null }
    case "check_started":
      return { ...check, steps: [...check.steps, started(event)] }
    case "check_finished":
      return { ...check, steps: [...check.steps.filter(({ name }) => name !== event.name), finished(event)] }
    case "page_opened":
      return event.picture === null ? check : { ...check, picture: event.picture }
    case "run_completed":
      return { ...check, status: event.verdict?.status ?? "not_run", reason: event.verdict?.reason ?? null }
    case "run_failed":
      return { ...check, status: "not_run", reason: event.message }
    case "run_cancelled":
      return { ...check, status: "not_run", reason: "The check was stopped." }
    default:
      return check
  }
}

function versionOf({ input }: EventOfType<"run_created">): number | null {
  return "workspace_version" in input ? input.workspace_version : null
}

function started({ name, command }: EventOfType<"check_started">): CheckStep {
  return { name, command, state: "running", text: "running …", output: "" }
}

function finished(event: EventOfType<"check_finished">): CheckStep {
  const { name, command, passed, blocked, output } = event
  const text = describeCheck(event).slice(command.length + 2)
  return { name, command, state: passed ? "passed" : blocked ? "blocked" : "failed", text, output }
}
