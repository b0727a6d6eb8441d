import { ApiError } from "../../api/client.ts"

/** A refused task, and the field responsible. `consent`: only the user's consent is missing. */
export interface Refusal {
  about: "agent" | "repository" | "consent" | "all"
  message: string
  error: unknown
}

/** Maps an error to the field responsible. */
export function refusalOf(failure: unknown, repository: string): Refusal {
  if (!(failure instanceof ApiError)) return { about: "all", message: String(failure), error: failure }
  return { about: aboutOf(failure, repository), message: failure.message, error: failure }
}

function aboutOf({ code, details }: ApiError, repository: string): Refusal["about"] {
  if (code === "consent_required") return "consent"
  if (details.coding_agent !== undefined || code === "account_not_found") return "agent"
  // A task has three fields, and its text has already been validated.
  return (code === "task_invalid" || code === "host_refused") && repository !== "" ? "repository" : "all"
}
