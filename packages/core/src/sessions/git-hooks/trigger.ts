/** An event on a repository's host, as far as rules look at it. */
export interface Trigger {
  /** The time of the event, in Unix milliseconds. */
  at: number
  on: "issue_labelled" | "comment" | "check_failed"
  /** The label that was added to an issue. */
  label?: string
  /** The author of a comment. */
  author?: { login: string; isMember: boolean }
  /** The branch that a check failed on. */
  branch?: string
  /** The task for an agent. */
  task: string
}

/** The mention with which a comment addresses an agent. `@switchyard-bot`, `@switchyard/core` and `@switchyardé` are others. */
const MENTION = /^\s{0,100}@switchyard(?:[:,]|\s|$)/i

/** The task in a comment; undefined for one that has none for an agent. */
export function taskInComment(text: string): string | undefined {
  const found = MENTION.exec(text)
  return (found && text.slice(found[0].length).trim()) || undefined
}
