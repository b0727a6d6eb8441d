import { useSessions } from "../../session/list/use-sessions.ts"

/** Returns the repositories in which agents have worked before. */
export function useKnownRepositories(): string[] {
  const sessions = useSessions().data?.sessions ?? []
  return [...new Set(sessions.flatMap(({ repository }) => repository ?? []))]
}
