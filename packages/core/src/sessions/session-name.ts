import type { SessionState } from "../state.ts"
import { titleOf } from "../work/runs/title.ts"

/** Returns the name given by a person, or else the project name from the first plan, or else the first request. */
export function sessionName({ session: { name, projectName, title } }: SessionState): string {
  return name ?? (titleOf(projectName ?? "") || title || "New session")
}
