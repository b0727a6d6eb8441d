import { ApiError } from "../../api/client.ts"

/** Why a task wasn't taken, and what of it that is about. `consent`: nothing is wrong but that nobody has agreed yet. */
export interface Refusal {
  about: "agent" | "repository" | "consent" | "all"
  message: string
}

/** What the server, or the way to it, has against a task in this repository. */
export function refusalOf(failure: unknown, repository: string): Refusal {
  if (!(failure instanceof ApiError)) return { about: "all", message: String(failure) }
  return { about: aboutOf(failure, repository), message: failure.message }
}

function aboutOf({ code, details }: ApiError, repository: string): Refusal["about"] {
  if (code === "consent_required") return "consent"
  if (details.coding_agent !== undefined || code === "account_not_found") return "agent"
  // A task is words, somebody who does it, and a place: the words are checked here.
  return code === "task_invalid" && repository !== "" ? "repository" : "all"
}
