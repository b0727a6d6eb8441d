import type { PullRequest } from "../../files/worktrees/pull-request-schema.ts"
import type { PayloadRef } from "../../log/event.ts"
import { formatCount, formatDuration } from "../../text/format.ts"
import { errorLines } from "../gate/check-output.ts"
import { debug, failure, type Headline, inlined, row, success, warning } from "./headline.ts"

/** Headlines for events of a session's worktree, including the saving of its files. */
export const worktreeHeadlines = {
  worktree_command_requested: (event: Requested) => debug("system", requestedText(event)),
  worktree_command_started: () => debug("system", "Command started"),
  worktree_command_expired: () =>
    warning(
      "system",
      "Worktree command expired: no runner was ready in time",
      [],
      "Nothing was changed. Try again if you still need it.",
    ),
  worktree_command_finished: finished,
  worktree_changed: () => debug("system", "Worktree status updated"),
  worktree_restored: restored,
  worktree_collisions_changed: ({ worktrees, files, file_count }: Collisions) => {
    const both = worktrees.join(" and ")
    if (file_count === 0) return row("system", `Worktrees ${both} would merge without conflicts`)
    const text = `Worktrees ${both} would conflict in ${formatCount(file_count, "file")}`
    return warning("system", text, files.slice(0, 3))
  },
  pull_request_opened: ({ pull_request: { number, url, created } }: { pull_request: PullRequest }) =>
    success("system", `Pull request ${number} was ${created ? "opened" : "updated"}`, [url]),
  worktree_prepared: prepared,
  worktree_script_started: ({ script, command }: { script: Script; command: string }) =>
    row("system", `${SCRIPTS[script]} started: ${command}`),
  worktree_script_finished: ({ script, exit_code, duration_ms, output }: FinishedScript) => {
    const took = [formatDuration(duration_ms)]
    if (exit_code === 0) return row("system", `${SCRIPTS[script]} finished`, took)
    const how = exit_code === null ? "was stopped" : `failed with exit code ${exit_code}`
    const hint = errorLines(output).join("\n")
    return warning("system", `${SCRIPTS[script]} ${how}`, took, hint)
  },
  merge_train_step_finished: ({ worktree, status, message }: TrainStep) => {
    const isGood = status === "merged" || status === "nothing_to_merge"
    return (isGood ? success : failure)("system", `${worktree}: ${message}`)
  },
  deletions_held: ({ paths, count: held, file_count }: { paths: string[]; count: number; file_count: number }) => {
    const named = paths.slice(0, 5).join(", ")
    const what = `${held} of ${formatCount(file_count, "file")} were deleted in the worktree`
    return warning("system", `${what}. Confirm or discard: ${named}`)
  },
  deletions_settled: ({ confirmed }: { confirmed: boolean }) =>
    row(
      "system",
      confirmed
        ? "Deletions confirmed. The files were removed from the session"
        : "No pending deletions. The session keeps the files",
    ),
  workspace_save_progressed: ({ saved, total }: { saved: number; total: number }) =>
    debug(
      "system",
      saved < total ? `Saving files: ${saved.toLocaleString()} of ${total.toLocaleString()}` : "Files saved",
    ),
  project_saved: () => debug("system", "Work backed up"),
}

type Script = "setup" | "cleanup"

const SCRIPTS: Record<Script, string> = { setup: "Setup", cleanup: "Cleanup" }

interface FinishedScript {
  script: Script
  exit_code: number | null
  duration_ms: number
  output: string
}

interface Prepared {
  copied: string[]
  linked: string[]
  restored: string[]
  skipped: string[]
  ports: number[]
}

function prepared({ copied, linked, restored, skipped, ports }: Prepared): Headline {
  const parts = Object.entries({ copied, linked, "from the cache": restored, ports })
    .filter(([, items]) => items.length > 0)
    .map(([what, items]) => `${what}: ${items.join(", ")}`)
  const text = `Worktree ready${parts.length > 0 ? ` (${parts.join("; ")})` : ""}`
  if (skipped.length === 0) return parts.length > 0 ? row("system", text) : debug("system", text)
  const hint = `Not copied or linked: ${skipped.join(", ")}. Git doesn't ignore these, so they would have become part of the work.`
  return warning("system", text, [], hint)
}

interface Requested {
  command: { command: string } | { question: string } | PayloadRef
}

interface Finished {
  answer: object | null
  error: { code: string; message: string } | null
}

interface Collisions {
  worktrees: readonly string[]
  files: readonly string[]
  file_count: number
}

interface TrainStep {
  worktree: string
  status: string
  message: string
}

interface Restored {
  damage: string
  from: string
  set_aside: string | null
}

/** Returns a command's result as a sentence. Undefined for the answers to queries. */
export function resultText({ answer }: Pick<Finished, "answer">): string | undefined {
  const sent = answer && inlined(answer)
  if (!sent) return undefined
  if ("remote" in sent && "branch" in sent) return `Pushed ${sent.branch} to ${sent.remote}.`
  return "message" in sent && typeof sent.message === "string" ? sent.message : undefined
}

function requestedText({ command }: Requested): string {
  const request = inlined(command)
  if (!request) return "Worktree command"
  return "command" in request
    ? `Worktree command: ${request.command.replaceAll("_", " ")}`
    : `Worktree query: ${request.question.replaceAll("_", " ")}`
}

function finished(event: Finished): Headline {
  const { answer, error } = event
  if (error && answer === null) return warning("system", error.message, [error.code])
  const text = resultText(event)
  if (error) return warning("system", text ?? "Done", [], error.message)
  return text === undefined ? debug("system", "Worktree query answered") : row("system", text)
}

const damages: Record<string, string> = {
  folder_missing: "its folder was missing",
  git_missing: "its .git was missing",
  git_replaced: "its .git had been replaced by that of another repository",
  git_broken: "git couldn't read it",
}

const origins: Record<string, string> = {
  save: "Files restored from the last save.",
  branch: "Files restored from the last commit.",
  folder: "The files weren't changed.",
}

function restored({ damage, from, set_aside }: Restored): Headline {
  const aside = set_aside === null ? "" : ` The repository created in its place was moved to ${set_aside}.`
  const hint = `${origins[from] ?? ""}${aside}`.trim()
  return warning("system", `Worktree repaired: ${damages[damage] ?? damage}`, [], hint)
}
