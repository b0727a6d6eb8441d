import * as z from "zod"

const Share = z.number().min(0).max(1).nullable()

/** Settings of a mock agent's account, for trying out limits. Null for limits that aren't simulated. */
export const MockSettings = z.object({
  remaining_usage: Share.describe("Remaining share of the account's limit, from 0 (used up) to 1"),
  remaining_context: Share.describe("Remaining share of the context window, from 0 to 1"),
  run_seconds: z.number().min(0).max(3600).nullable().describe("Duration of each turn in seconds"),
})
export type MockSettings = z.infer<typeof MockSettings>

export const NO_MOCK_SETTINGS: MockSettings = { remaining_usage: null, remaining_context: null, run_seconds: null }

/** Environment variable that contains a mock agent's settings, as JSON. */
export const MOCK_SETTINGS_VARIABLE = "SWITCHYARD_MOCK"
