/** The name under which a run's runner gets the credentials of the agent that reviews its work. No account can have it. */
export const REVIEWER_ACCOUNT = "(reviewer)"
