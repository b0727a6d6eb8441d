/** Returns the name under which a run's reviewer credentials are sent to its runner. No account can have this name. */
export function reviewerAccount(account: string | null): string {
  return `(reviewer) ${account ?? ""}`
}
