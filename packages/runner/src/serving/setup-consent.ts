import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import type { AdmitSetup } from "../project/setup/preparation.ts"

/**
 * Returns the consent to a set-up that the repository names: the owner's earlier consents to its content, or the task's
 * own. Unlike files that start programs, it is used in every mode, because it can't override a rule.
 */
export function setupConsent({ input, record, warn }: RunContext<AgentInput>): AdmitSetup {
  return async ({ digest, files, summary, parse }) => {
    const given_before = input.consents?.includes(digest) ?? false
    if (given_before || input.consent) {
      // Parse first, so that no consent to a wrong file is stored.
      const setup = await parse()
      const before = given_before && { given_before }
      await record([{ type: "start_files_allowed", digest, files, ...before }])
      return setup
    }
    const text = `The agent is working without ${summary}. To allow this as of the commit the work started from, send a task with "consent": true and the scope \`admin\`.`
    warn(text)
    await record([{ type: "agent_notice", text }])
    return "denied"
  }
}
