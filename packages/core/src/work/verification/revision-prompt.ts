import { shortenOutput } from "../gate/check-output.ts"

/** A failed attempt, for the agent's next prompt. */
export interface FailedAttempt {
  attempt: number
  maxAttempts: number
  issues: string[]
  /** Output of the command that failed. */
  output: string
  /** True if the checks passed and the issues come from a reviewer. */
  isReview?: boolean
}

const OUTPUT_CHARS = 4000
/** Number of the first attempt whose prompt asks for an audit. By then, small repairs are unlikely to help. */
const AUDIT_FROM = 3

/**
 * Returns the next prompt for an agent whose work didn't pass. From attempt `AUDIT_FROM` on, the prompt asks for an
 * audit of the work's actual state.
 */
export function revisionPrompt({ attempt, maxAttempts, issues, output, isReview = false }: FailedAttempt): string {
  const found = isReview
    ? "It passed the project's checks, but another agent that reviewed it found:"
    : "It did not pass:"
  const parts = [
    `# Not done yet

Your work was checked in a clean copy of its commit (attempt ${attempt} of ${maxAttempts}). ${found}

${issues.map((issue) => `- ${issue}`).join("\n")}`,
    output.trim() && `The output:\n\n\`\`\`\n${shortenOutput(output.trim(), OUTPUT_CHARS)}\n\`\`\``,
    attempt + 1 >= AUDIT_FROM
      ? AUDIT
      : "Find the cause, repair it, and run the checks yourself before you say that you are done.",
    `Keep the existing tests, and the way they run. Don't skip, delete or weaken them. Don't commit, stage, or switch
branches. End as before, with the summary as a block of JSON.`,
  ]
  return `${parts.filter(Boolean).join("\n\n")}\n`
}

const AUDIT = `Smaller repairs haven't helped, so begin with an audit, and write down what you find:

1. What was tried in the attempts so far, and why didn't it work?
2. What is on the disk now? Read the files again, and \`git status\` and \`git log\`; don't go by memory.
3. What is the root cause? Show it, with a command that fails.
4. What is the new plan, and why will it hold? Then carry it out, remove what is left of earlier attempts, and run all checks.`
