import { isDeepStrictEqual } from "node:util"
import { MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import type { PermissionPolicy } from "@switchyard/core/agents/permissions/decide"
import { combineRules } from "@switchyard/core/agents/permissions/repository-rules"
import type { RepositoryRules } from "@switchyard/core/agents/permissions/repository-rules-schema"
import type { PermissionRule } from "@switchyard/core/agents/permissions/schema"
import type { Answer, QuestionContent } from "@switchyard/core/agents/questions/schema"
import type { LogEvent } from "@switchyard/core/events"

/** Decisions and answers that people have given for one agent. */
export interface AgentDecisions {
  /** The permissions in effect. */
  readonly policy: PermissionPolicy
  /** Sets the permissions. Called before the agent's run begins. */
  begin(policy: BegunPolicy): void
  /** Waits for the first answer to a question. Returns undefined if `signal` aborts first. */
  answerTo(questionId: string, options: { signal: AbortSignal }): Promise<Answer | undefined>
  /** Allows a single use of a tool that an earlier turn asked about. */
  allowOnce(question: QuestionContent): void
  /** Returns true if exactly this use was allowed. The permission is then used up. */
  takeAllowed(question: QuestionContent): boolean
  /** Calls `callback` on every policy change until `signal` aborts. */
  onChange(callback: () => void, options: { signal: AbortSignal }): void
}

/** A policy's rules by source. Rules from later sources take precedence. */
export interface BegunPolicy extends PermissionPolicy {
  /** Rules in the repository's file. They are combined with the owner's rules. */
  repository?: { rules: RepositoryRules; allows: boolean } | undefined
  sessionRules?: PermissionRule[]
  /** Rules that people created in the session by allowing a tool. */
  allowed?: PermissionRule[]
}

/** Decisions about this runner's agents, read from the session log. */
export interface Decisions {
  ofAgent(agentId: string): AgentDecisions
  receive(event: LogEvent): void
}

/** Policy for agents without a mode. They never ask, because there may be no person to answer. */
const UNASKED: BegunPolicy = { mode: "bypass", rules: [] }

export function createDecisions(): Decisions {
  const policies = new Map<string, BegunPolicy>()
  const allowed = new Map<string, QuestionContent>()
  const waiting = new Map<string, (answer: Answer) => void>()
  const changes = new EventTarget()

  function setPolicy(agentId: string, change: Partial<BegunPolicy>): void {
    policies.set(agentId, { ...(policies.get(agentId) ?? UNASKED), ...change })
    changes.dispatchEvent(new Event(agentId))
  }

  function ofAgent(agentId: string): AgentDecisions {
    return {
      get policy() {
        const { mode, rules, repository, sessionRules = [], allowed = [] } = policies.get(agentId) ?? UNASKED
        const sources = { owner: rules, repository: repository?.rules, allows: repository?.allows ?? false }
        return { mode, rules: [...combineRules(sources), ...sessionRules, ...allowed] }
      },
      begin: (policy) => setPolicy(agentId, policy),
      answerTo(questionId, { signal }) {
        return new Promise((resolve) => {
          waiting.set(questionId, resolve)
          const giveUp = () => {
            waiting.delete(questionId)
            resolve(undefined)
          }
          if (signal.aborted) giveUp()
          else signal.addEventListener("abort", giveUp, { once: true })
        })
      },
      allowOnce: (question) => void allowed.set(agentId, question),
      takeAllowed(question) {
        return isDeepStrictEqual(allowed.get(agentId), question) && allowed.delete(agentId)
      },
      onChange: (callback, { signal }) => changes.addEventListener(agentId, callback, { signal }),
    }
  }

  return {
    ofAgent,
    receive(event) {
      const { agent_id: agentId = MAIN_AGENT } = event
      if (event.type === "question_answered") waiting.get(event.question_id)?.(event.answer)
      if (event.type === "agent_mode_changed") setPolicy(agentId, { mode: event.mode })
      if (event.type === "agent_tool_allowed") {
        const { allowed = [] } = policies.get(agentId) ?? UNASKED
        setPolicy(agentId, { allowed: [...allowed, event.rule] })
      }
      if (event.type === "session_rules_set") {
        for (const agent of policies.keys()) setPolicy(agent, { sessionRules: event.rules })
      }
    },
  }
}
