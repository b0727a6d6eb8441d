import type { AgentDecisions } from "./decisions.ts"

const REFUSAL = "You only read here, and nobody is asked. Go on without it."

/** Decisions about an agent that may read and do nothing else. Whatever it asks people is denied at once. */
export function createReadingDecisions(): AgentDecisions {
  return {
    policy: { mode: "plan", rules: [] },
    begin() {},
    answerTo: async () => ({ choice: "deny", text: REFUSAL }),
    allowOnce() {},
    takeAllowed: () => false,
    onChange() {},
  }
}
