import { cliOf } from "@switchyard/core/agents/added/cli-of"
import type { AgentAccount } from "@switchyard/core/agents/clis/cli"
import { type AgentInput, MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import type { SavedAgentState } from "@switchyard/core/files/worktrees/checkpoint-schema"
import type { Concealment } from "../agents/concealment.ts"
import type { Files } from "../files/files.ts"
import { type AgentStateKey, saveAgentState } from "./agent-state.ts"

/** Agent of this session, and the account that the agent uses. */
export interface AgentAccountRef extends Pick<AgentInput, "cli" | "account">, Pick<AgentAccount, "added"> {
  agentId: string
  home: string
  disk: Files
  /** Masks the account's login, if the account uses its CLI's own login. */
  concealment?: Concealment | undefined
}

/** Native agent sessions that are saved with the work, one per agent and account. */
export interface TrackedSessions {
  track(account: AgentAccountRef, nativeSession: string): void
  /**
   * Stores the memories of tracked sessions, skipping pieces in `stored`. Keeps the stored memories of accounts that
   * aren't tracked.
   */
  save(
    key: AgentStateKey,
    about: { before: SavedAgentState[]; stored: Set<string> },
    options: { signal: AbortSignal },
  ): Promise<SavedAgentState[]>
}

export function createTrackedSessions(): TrackedSessions {
  const tracked = new Map<string, { who: AgentAccountRef; session: string }>()
  return {
    track: (who, session) => void tracked.set(memoryKey(asSaved(who)), { who, session }),
    async save(key, { before, stored }, { signal }) {
      const memories = new Map(before.map((memory) => [memoryKey(memory), memory]))
      for (const { who, session: native_session_id } of tracked.values()) {
        const { cli, added, home, disk, concealment } = who
        const memory = cliOf(cli, added).sessionFiles
        const about = { disk, home, memory, session: native_session_id, stored, concealment }
        const files = await saveAgentState(key, about, { signal })
        memories.set(memoryKey(asSaved(who)), { ...asSaved(who), native_session_id, files })
      }
      return [...memories.values()]
    },
  }
}

/** True if a saved memory belongs to this agent with this account. */
export function isMemoryOf(memory: SavedAgentState, who: AgentAccountRef): boolean {
  return memoryKey(memory) === memoryKey(asSaved(who))
}

function asSaved({ agentId, cli, account }: AgentAccountRef): Pick<SavedAgentState, "agent_id" | "cli" | "account"> {
  return { ...(agentId !== MAIN_AGENT && { agent_id: agentId }), cli, account }
}

function memoryKey({
  agent_id = MAIN_AGENT,
  cli,
  account,
}: Pick<SavedAgentState, "agent_id" | "cli" | "account">): string {
  return JSON.stringify([agent_id, cli, account])
}
