import { withoutThoughts } from "../../../files/edits/prose.ts"

const CLAIM =
  /\b(?:I|I have|I've|I’ve)(?: now| just)? (?:added|changed|created|deleted|edited|fixed|implemented|modified|moved|refactored|removed|renamed|replaced|rewrote|rewritten|updated|wrote|written)\b/i
/** Words that indicate that a sentence refers to an earlier answer. */
const RECAP = /\b(?:already|before|earlier|last|previous|previously|would|could|if)\b/i
const FILE = /\w\.[a-z]\w{0,9}\b|\bfiles?\b/i

/** Returns true if an answer claims, outside of its code, to have changed a file. Works only for English. */
export function claimsChange(answer: string): boolean {
  let isCode = false
  for (const line of withoutThoughts(answer).split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    else if (!isCode && sentencesOf(line).some(isClaim)) return true
  }
  return false
}

function sentencesOf(line: string): string[] {
  return line.startsWith(">") ? [] : line.split(/[.!?] /)
}

function isClaim(sentence: string): boolean {
  return CLAIM.test(sentence) && FILE.test(sentence) && !RECAP.test(sentence)
}
