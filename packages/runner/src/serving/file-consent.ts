import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import type { RunContext } from "@switchyard/core/work/runs/run-context"

/** Content of a repository's files for Switchyard. */
interface Named {
  /** Identifies everything that the consent covers. */
  digest: string
  files: string[]
  /** Completes "The agent is working without". */
  summary: string
}

/**
 * Takes the owner's consent to the content of a repository's files: an earlier consent, or the task's own. Returns the
 * result of `use`, or warns and returns undefined if there is no consent. Unlike files that start programs, these files
 * count in every mode, because they can't override a rule. If `use` throws, no consent is stored.
 */
export async function withConsent<T>(
  { input, record, warn }: Pick<RunContext<AgentInput>, "input" | "record" | "warn">,
  { digest, files, summary }: Named,
  use: () => Promise<T>,
): Promise<T | undefined> {
  const given_before = input.consents?.includes(digest) ?? false
  if (given_before || input.consent) {
    const result = await use()
    const before = given_before && { given_before }
    await record([{ type: "start_files_allowed", digest, files, ...before }])
    return result
  }
  const text = `The agent is working without ${summary}. To allow this as of the commit the work started from, send a task with "consent": true and the scope \`admin\`.`
  warn(text)
  await record([{ type: "agent_notice", text }])
  return undefined
}
