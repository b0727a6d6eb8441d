import type { Review, ReviewFinding } from "./review-schema.ts"

/** The objections of a review to the work, each as a sentence for the agent. One that fails always has something. */
export function reviewIssues({ passed, summary, findings }: Omit<Review, "reviewer">): string[] {
  if (passed) return []
  return findings.length > 0 ? findings.map(sentenceOf) : [summary || "The reviewer doesn't call it done."]
}

function sentenceOf({ text, file, line }: ReviewFinding): string {
  if (file === undefined) return text
  return `${file}${line === undefined ? "" : `:${line}`}: ${text}`
}
