/** Describes why a model provider didn't answer. */
export function providerProblem(errorType: string): string {
  if (errorType === "rate_limit") return "The model's provider takes no more requests for a moment"
  if (errorType === "connection_error") return "The model's provider couldn't be reached, or is overloaded"
  return "The model's provider failed to answer"
}
