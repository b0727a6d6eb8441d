/**
 * Returns the name under which the credentials of a run's reviewer are sent to the runner. No account can have this
 * name.
 */
export function reviewerAccount(account: string | null): string {
  return `(reviewer) ${account ?? ""}`
}
