import type { AgentDecisions } from "./decisions.ts"

const REFUSAL = "You may only read here, and no person can give permission. Continue without this."

/** Decisions for a read-only agent. Denies every request immediately. */
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
