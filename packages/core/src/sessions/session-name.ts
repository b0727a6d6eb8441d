import type { SessionState } from "../state.ts"
import { titleOf } from "../work/runs/title.ts"

/** The name that a person gave it, else what its first plan calls the project, else its first request. */
export function sessionName({ session: { name, projectName, title } }: SessionState): string {
  return name ?? (titleOf(projectName ?? "") || title || "New session")
}
