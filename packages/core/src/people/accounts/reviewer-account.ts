/**
 * Returns the account name that is used to send the credentials of a run's reviewer to the runner. No account can have
 * this name.
 */
export function reviewerAccount(account: string | null): string {
  return `(reviewer) ${account ?? ""}`
}
