/** A failed attempt, as the agent is told of it. */
export interface FailedAttempt {
  attempt: number
  maxAttempts: number
  issues: string[]
  /** The end of the output of the command that failed. */
  output: string
  /** Whether the checks passed, and a reviewer found these. */
  isReview?: boolean
}

const OUTPUT_CHARS = 4000
/** The attempt from which on another small repair is unlikely to help. */
const AUDIT_FROM = 3

/** The next turn of an agent whose work didn't pass. Later ones ask it to begin again from what is really there. */
export function revisionPrompt({ attempt, maxAttempts, issues, output, isReview = false }: FailedAttempt): string {
  const found = isReview
    ? "It passed the project's checks, but another agent that reviewed it found:"
    : "It did not pass:"
  const parts = [
    `# Not done yet

Your work was checked in a clean copy of its commit (attempt ${attempt} of ${maxAttempts}). ${found}

${issues.map((issue) => `- ${issue}`).join("\n")}`,
    output.trim() && `The end of what was printed:\n\n\`\`\`\n${output.trim().slice(-OUTPUT_CHARS)}\n\`\`\``,
    attempt + 1 >= AUDIT_FROM
      ? AUDIT
      : "Find the cause, repair it, and run the checks yourself before you say that you are done.",
    `Keep the tests that were there before, and how they are run. Don't skip, delete or weaken them. Don't commit, stage, or switch
branches. End as before, with the summary as a block of JSON.`,
  ]
  return `${parts.filter(Boolean).join("\n\n")}\n`
}

const AUDIT = `Smaller repairs haven't helped, so begin with an audit, and write down what you find:

1. What was tried in the attempts so far, and why didn't it work?
2. What is on the disk now? Read the files again, and \`git status\` and \`git log\`; don't go by memory.
3. What is the root cause? Show it, with a command that fails.
4. What is the new plan, and why will it hold? Then carry it out, remove what is left of earlier attempts, and run all checks.`
