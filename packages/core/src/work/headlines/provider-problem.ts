/** Explains why a model provider didn't answer. */
export function providerProblem(errorType: string): string {
  if (errorType === "rate_limit") return "The model provider's rate limit was reached"
  if (errorType === "connection_error") return "The model provider couldn't be reached or is overloaded"
  return "The model provider failed to respond"
}
