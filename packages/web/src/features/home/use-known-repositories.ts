import { useSessions } from "../../session/list/use-sessions.ts"

/** Repositories that agents have worked in before. */
export function useKnownRepositories(): string[] {
  const sessions = useSessions().data?.sessions ?? []
  return [...new Set(sessions.flatMap(({ repository }) => repository ?? []))]
}
