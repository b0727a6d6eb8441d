import { clis } from "@switchyard/core/agents/clis/clis"
import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import type { SavedMemory } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { type AgentStateKey, saveAgentState } from "./agent-state.ts"

/** An agent's account in this session. */
export type AgentAccountRef = Pick<AgentInput, "cli" | "account"> & { home: string }

/** The agents' own sessions that are saved with the work, one for each account. */
export interface TrackedSessions {
  track(account: AgentAccountRef, nativeSession: string): void
  /** Stores the memories of all of them, except for the pieces in `stored`. Those of untracked accounts stay as they were. */
  save(
    key: AgentStateKey,
    about: { before: SavedMemory[]; stored: Set<string> },
    options: { signal: AbortSignal },
  ): Promise<SavedMemory[]>
}

export function createTrackedSessions(): TrackedSessions {
  const tracked = new Map<string, { who: AgentAccountRef; session: string }>()
  return {
    track: (who, session) => void tracked.set(accountKey(who), { who, session }),
    async save(key, { before, stored }, { signal }) {
      const memories = new Map(before.map((memory) => [accountKey(memory), memory]))
      for (const { who, session: native_session_id } of tracked.values()) {
        const { cli, home } = who
        const about = { home, memory: clis[cli].sessionFiles, session: native_session_id, stored }
        const files = await saveAgentState(key, about, { signal })
        memories.set(accountKey(who), { cli, account, native_session_id, files })
      }
      return [...memories.values()]
    },
  }
}

export function accountKey({ cli, account }: Pick<SavedMemory, "cli" | "account">): string {
  return JSON.stringify([cli, account])
}
