import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { SETUP_FILE } from "@switchyard/core/files/worktrees/repository-setup-schema"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import type { AdmitSetup } from "../project/setup/preparation.ts"

const DENIED = `The agent is working without the tools and the set-up command in ${SETUP_FILE}. To allow this file as of the commit the work started from, send a task with "consent": true and the scope \`admin\`.`

/**
 * Returns the consent to the repository's set-up file: the owner's earlier consents to its content, or the task's own.
 * Unlike files that start programs, the file is used in every mode, because it can't override a rule.
 */
export function setupConsent({ input, record, warn }: RunContext<AgentInput>): AdmitSetup {
  return async ({ digest, parse }) => {
    const given_before = input.consents?.includes(digest) ?? false
    if (given_before || input.consent) {
      // Parse first, so that no consent to a wrong file is stored.
      const setup = await parse()
      const before = given_before && { given_before }
      await record([{ type: "start_files_allowed", digest, files: [SETUP_FILE], ...before }])
      return setup
    }
    warn(DENIED)
    await record([{ type: "agent_notice", text: DENIED }])
    return "denied"
  }
}
