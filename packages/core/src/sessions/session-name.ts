import type { SessionState } from "../state.ts"
import { titleOf } from "../work/runs/title.ts"

/** The name that a person gave it, else what its first plan calls the project, else its first request. */
export function sessionName({ session: { name, projectName, title } }: SessionState): string {
  return name ?? (titleOf(projectName ?? "") || title || "New session")
}

/** True if every word of the search is part of the name, in any case. */
export function matchesName(name: string, search: string): boolean {
  const found = fold(name)
  return fold(search)
    .split(/\s+/)
    .every((word) => found.includes(word))
}

/** The letters without their case and accents. */
function fold(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
}
