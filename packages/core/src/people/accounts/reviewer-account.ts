/** Returns the name under which a run's reviewer credentials are sent to its runner. It isn't a valid account name. */
export function reviewerAccount(account: string | null): string {
  return `(reviewer) ${account ?? ""}`
}
