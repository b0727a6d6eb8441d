import type { SessionState } from "../state.ts"
import { titleOf } from "../work/runs/title.ts"

/** Returns the name given by a person, or else the project name of its first plan, or else its first request. */
export function sessionName({ session: { name, projectName, title } }: SessionState): string {
  return name ?? (titleOf(projectName ?? "") || title || "New session")
}
