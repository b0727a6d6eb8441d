import type { AgentDecisions } from "./decisions.ts"

const REFUSAL = "You may only read here, and no person is asked. Continue without this."

/** Decisions for an agent that may only read. Denies at once whatever it asks. */
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
