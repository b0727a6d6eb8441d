import type { Rule } from "../../kernel/session-log.ts"
import { looseningRefused, type ProtectedOptions } from "../../protections.ts"
import { loosensRules } from "./loosens-rules.ts"
import type { PermissionRule } from "./schema.ts"

/** Replaces the rules for all agents in a session. */
export function setSessionRules(rules: PermissionRule[], by: Pick<ProtectedOptions, "mayLoosen">): Rule {
  return ({ questions }) => {
    const refused =
      loosensRules(questions.sessionRules, rules) && looseningRefused("the session's rules for agents", by)
    return refused || [{ type: "session_rules_set", rules }]
  }
}
