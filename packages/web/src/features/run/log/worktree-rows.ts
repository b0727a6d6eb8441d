import { type EventOfType, type StudioEvent, whole } from "../../../session/stream/event.ts"
import { count, debug, type LogRow, row } from "./log-row.ts"

type WorktreeEvent = EventOfType<
  | "worktree_command_requested"
  | "worktree_command_started"
  | "worktree_command_expired"
  | "worktree_command_finished"
  | "worktree_changed"
  | "worktree_restored"
  | "deletions_held"
  | "deletions_settled"
  | "workspace_save_progressed"
  | "project_saved"
>

/** True for events that are worth a line without details: results of commands, and failures. */
export function isWorktreeNews(event: StudioEvent): boolean {
  switch (event.type) {
    case "worktree_command_finished":
      return event.error !== null || textOf(event) !== undefined
    // A notice of the agent's has said already that deletions wait.
    case "worktree_command_expired":
    case "worktree_restored":
    case "deletions_settled":
      return true
    default:
      return false
  }
}

/** The lines of the log about a session's worktree, and about the saving of its files. */
export function worktreeRow(event: WorktreeEvent): LogRow {
  switch (event.type) {
    case "worktree_command_requested":
      return debug("system", requestedText(event), [])
    case "worktree_command_started":
      return debug("system", "A runner began to do it", [])
    case "worktree_command_expired":
      return {
        ...row("system", "No runner was ready in time for what was asked of the worktree", []),
        severity: "warn",
        hint: "Nothing was done, and nothing will be. Ask again if you still want it.",
      }
    case "worktree_command_finished":
      return finished(event)
    case "worktree_changed":
      return debug("system", "The worktree was looked at", [])
    case "worktree_restored":
      return restored(event)
    case "deletions_held": {
      const named = event.paths.slice(0, 5).join(", ")
      const what = `${event.count} of ${count(event.file_count, "file")} were deleted in the worktree`
      return { ...debug("system", `${what}, and wait for somebody to confirm it: ${named}`, []), severity: "warn" }
    }
    case "deletions_settled":
      return row(
        "system",
        event.confirmed
          ? "The deletions were confirmed: the session doesn't have the files any more"
          : "No deletions wait any more: the session keeps the files",
        [],
      )
    case "workspace_save_progressed": {
      const { saved, total } = event
      const said =
        saved < total ? `Saving files: ${saved.toLocaleString()} of ${total.toLocaleString()}` : "Files saved"
      return debug("system", said, [])
    }
    case "project_saved":
      return debug("system", "The work was saved, should the runner's machine be lost", [])
  }
}

function requestedText({ command }: EventOfType<"worktree_command_requested">): string {
  const asked = whole(command)
  if (!asked) return "Something was asked of the worktree"
  return "command" in asked
    ? `Asked of the worktree: ${asked.command.replaceAll("_", " ")}`
    : `Asked about the worktree: ${asked.question.replaceAll("_", " ")}`
}

function finished(event: EventOfType<"worktree_command_finished">): LogRow {
  const { answer, error } = event
  if (error && answer === null) return { ...row("system", error.message, [error.code]), severity: "warn" }
  const text = textOf(event)
  if (error) return { ...row("system", text ?? "It was done", []), severity: "warn", hint: error.message }
  return text === undefined
    ? debug("system", "A question about the worktree was answered", [])
    : row("system", text, [])
}

function textOf({ answer }: EventOfType<"worktree_command_finished">): string | undefined {
  const said = answer && whole(answer)
  if (!said) return undefined
  if ("remote" in said) return `${said.branch} was pushed to ${said.remote}.`
  return "message" in said ? said.message : undefined
}

const damages: Record<string, string> = {
  folder_missing: "its folder was gone",
  git_missing: "its .git was gone",
  git_replaced: "its .git had been replaced by another repository's",
  git_broken: "git couldn't read it",
}

const origins: Record<string, string> = {
  save: "Its files are as they were saved last.",
  branch: "Its files are as they were committed last.",
  folder: "Its files are as they were left.",
}

function restored({ damage, from, set_aside }: EventOfType<"worktree_restored">): LogRow {
  const aside = set_aside === null ? "" : ` The repository that was made in it is now at ${set_aside}.`
  return {
    ...row("system", `The worktree was repaired: ${damages[damage] ?? damage}`, []),
    severity: "warn",
    hint: `${origins[from] ?? ""}${aside}`.trim(),
  }
}
