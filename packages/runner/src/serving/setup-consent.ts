import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import type { AdmitSetup } from "../project/setup/preparation.ts"
import { withConsent } from "./file-consent.ts"

/** Returns the function that parses a set-up that the repository names if the owner has consented to its content. */
export function setupConsent(context: RunContext<AgentInput>): AdmitSetup {
  return async ({ parse, ...named }) => (await withConsent(context, named, parse)) ?? "denied"
}
