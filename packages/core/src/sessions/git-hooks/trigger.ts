/** Event on a repository's host, with the fields that rules match. */
export interface Trigger {
  /** Time of the event, in Unix milliseconds. */
  at: number
  on: "issue_labelled" | "comment" | "check_failed"
  /** Label that was added to an issue. */
  label?: string
  author?: { login: string; isMember: boolean }
  /** Branch whose check failed. */
  branch?: string
  task: string
}

/**
 * Mention that addresses an agent in a comment. Doesn't match `@switchyard-bot`, `@switchyard/core` or `@switchyardé`.
 */
const MENTION = /^\s{0,100}@switchyard(?:[:,]|\s|$)/i

/** Returns the task that a comment gives to an agent. Undefined if the comment doesn't contain a task. */
export function taskInComment(text: string): string | undefined {
  const found = MENTION.exec(text)
  return (found && text.slice(found[0].length).trim()) || undefined
}
