import { formatCount } from "@switchyard/core/text/format"
import { withoutSlashes } from "@switchyard/core/text/trim"
import type { Session } from "../../api/session.ts"

const ends = {
  idle: "Not started",
  needs_input: "Waiting for you",
  done: "Done",
  error: "Failed",
} satisfies Record<Exclude<Session["status"], "busy" | "waiting">, string>

const time = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "numeric", minute: "2-digit" })

/** Returns a session's label: its status or progress, and its repository or number of files. */
export function statusLabel(session: Session): string {
  const { repository, file_count, active } = session
  const place = repository === null ? null : `in ${nameOfRepository(repository)}`
  const files = file_count && !active ? formatCount(file_count, "file") : null
  return [stateOf(session), place ?? files].filter((part) => part !== null).join(" · ")
}

/** Returns the first line of the latest request; null if it is the same as the session's name. */
export function lastRequest({ name, last_run }: Session): string | null {
  const request = last_run?.prompt ?? ""
  return request === "" || request === name ? null : request
}

export function stateOf({ status, progress, kind, last_run, waits_until: until }: Session): string {
  if (status === "idle" && last_run !== null) return "Stopped"
  if (status === "waiting") return until ? `Continues ${time.format(new Date(until))}` : "Continues later"
  if (status !== "busy") return ends[status]
  if (progress) return fileOf(progress)
  return kind === "build" ? "Planning" : "Working"
}

function fileOf({ step, total }: { step: number; total: number }): string {
  return `File ${Math.min(step + 1, total)} of ${total}`
}

/** Returns the last segment of a path or URL. */
export function nameOfRepository(repository: string): string {
  return (
    withoutSlashes(repository)
      .split(/[/:]/)
      .at(-1)
      ?.replace(/\.git$/, "") || repository
  )
}
