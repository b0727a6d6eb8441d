/** Event on a repository's host, as far as rules need it. */
export interface Trigger {
  /** Time of the event, in Unix milliseconds. */
  at: number
  on: "issue_labelled" | "comment" | "check_failed"
  /** Label that was added to an issue. */
  label?: string
  author?: { login: string; isMember: boolean }
  /** Branch of a failed check. */
  branch?: string
  task: string
}

/**
 * Mention that addresses an agent in a comment. `@switchyard-bot`, `@switchyard/core` and `@switchyardé` don't match.
 */
const MENTION = /^\s{0,100}@switchyard(?:[:,]|\s|$)/i

/** Returns the task in a comment, or undefined if it has none for an agent. */
export function taskInComment(text: string): string | undefined {
  const found = MENTION.exec(text)
  return (found && text.slice(found[0].length).trim()) || undefined
}
