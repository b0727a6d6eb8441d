import { fenced } from "../../../text/fenced.ts"

/** Returns the user's request, verbatim. All three roles read the same text. */
export function requestSection(prompt: string): string {
  return `User request:\n${fenced(prompt)}`
}
