import type { Review, ReviewFinding } from "./review-schema.ts"

/** Returns a review's objections as sentences for the agent: at least one sentence if the review didn't pass. */
export function reviewIssues({ passed, summary, findings }: Omit<Review, "reviewer">): string[] {
  if (passed) return []
  return findings.length > 0 ? findings.map(sentenceOf) : [summary || "The reviewer doesn't accept the work."]
}

function sentenceOf({ text, file, line }: ReviewFinding): string {
  if (file === undefined) return text
  return `${file}${line === undefined ? "" : `:${line}`}: ${text}`
}
