/** The name under which a run's runner gets the credentials of an agent that reviews its work. No account can have it. */
export function reviewerAccount(account: string | null): string {
  return `(reviewer) ${account ?? ""}`
}
