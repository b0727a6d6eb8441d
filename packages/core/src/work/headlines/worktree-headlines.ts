import { formatCount } from "../../format.ts"
import type { PayloadRef } from "../../log/event.ts"
import { count, debug, type Headline, inlined, row } from "./headline.ts"

/** The events of a session's worktree, and of the saving of its files. */
export const worktreeHeadlines = {
  worktree_command_requested: (event: Requested) => debug("system", requestedText(event)),
  worktree_command_started: () => debug("system", "A runner began to do it"),
  worktree_command_expired: (): Headline => ({
    ...row("system", "No runner was ready in time for what was asked of the worktree"),
    severity: "warn",
    hint: "Nothing was done, and nothing will be. Ask again if you still want it.",
  }),
  worktree_command_finished: finished,
  worktree_changed: () => debug("system", "The worktree was looked at"),
  worktree_restored: restored,
  deletions_held: ({
    paths,
    count: held,
    file_count,
  }: {
    paths: string[]
    count: number
    file_count: number
  }): Headline => {
    const named = paths.slice(0, 5).join(", ")
    const what = `${held} of ${formatCount(file_count, "file")} were deleted in the worktree`
    return { ...debug("system", `${what}. Confirm or discard: ${named}`), severity: "warn" }
  },
  deletions_settled: ({ confirmed }: { confirmed: boolean }) =>
    row(
      "system",
      confirmed
        ? "The deletions were confirmed: the session doesn't have the files any more"
        : "No deletions wait any more: the session keeps the files",
    ),
  workspace_save_progressed: ({ saved, total }: { saved: number; total: number }) =>
    debug(
      "system",
      saved < total ? `Saving files: ${saved.toLocaleString()} of ${total.toLocaleString()}` : "Files saved",
    ),
  project_saved: () => debug("system", "The work was saved, should the runner's machine be lost"),
}

interface Requested {
  command: { command: string } | { question: string } | PayloadRef
}

interface Finished {
  answer: object | null
  error: { code: string; message: string } | null
}

interface Restored {
  damage: string
  from: string
  set_aside: string | null
}

/** The result of a command in a sentence; undefined for an answer to a question. */
export function resultText({ answer }: Pick<Finished, "answer">): string | undefined {
  const sent = answer && inlined(answer)
  if (!sent) return undefined
  if ("remote" in sent && "branch" in sent) return `${sent.branch} was pushed to ${sent.remote}.`
  return "message" in sent && typeof sent.message === "string" ? sent.message : undefined
}

function requestedText({ command }: Requested): string {
  const asked = inlined(command)
  if (!asked) return "Something was asked of the worktree"
  return "command" in asked
    ? `Asked of the worktree: ${asked.command.replaceAll("_", " ")}`
    : `Asked about the worktree: ${asked.question.replaceAll("_", " ")}`
}

function finished(event: Finished): Headline {
  const { answer, error } = event
  if (error && answer === null) return { ...row("system", error.message, [error.code]), severity: "warn" }
  const text = resultText(event)
  if (error) return { ...row("system", text ?? "It was done"), severity: "warn", hint: error.message }
  return text === undefined ? debug("system", "A question about the worktree was answered") : row("system", text)
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

function restored({ damage, from, set_aside }: Restored): Headline {
  const aside = set_aside === null ? "" : ` The repository that was made in it is now at ${set_aside}.`
  return {
    ...row("system", `The worktree was repaired: ${damages[damage] ?? damage}`),
    severity: "warn",
    hint: `${origins[from] ?? ""}${aside}`.trim(),
  }
}
