/** Returns the name under which a run's runner receives its reviewer's credentials. No account can have this name. */
export function reviewerAccount(account: string | null): string {
  return `(reviewer) ${account ?? ""}`
}
