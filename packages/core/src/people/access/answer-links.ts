import * as z from "zod"
import { AppError } from "../../errors.ts"
import { signValue, verifyValue } from "./secrets.ts"

/** Permission to read and answer one question. */
export const AnswerGrant = z.object({
  owner: z.string(),
  session_id: z.string(),
  question_id: z.string(),
  /** Time when the grant expires, in Unix milliseconds. */
  expires: z.number(),
})
export type AnswerGrant = z.infer<typeof AnswerGrant>

/**
 * Links that let a person answer one question without logging in. A link is signed, not stored. It is valid for this
 * question only, until the link expires or the question is answered.
 */
export interface AnswerLinks {
  /** Returns the signed text to put in the link. */
  sign(grant: AnswerGrant): string
  /**
   * Returns the grant from a link's text. Throws `forbidden` if the text was altered, was signed by another server, or
   * has expired.
   */
  verify(text: string): AnswerGrant
}

/** Path of the page that a link opens. The signed text is in the query, because queries are never logged. */
export const ANSWER_PATH = "/answer"

/** Returns the link as a path with a query. */
export function answerLink(text: string): string {
  return `${ANSWER_PATH}?link=${text}`
}

const USE = "answer"

export function createAnswerLinks(deps: { signingKey: Uint8Array; clock: { now(): number } }): AnswerLinks {
  const { signingKey, clock } = deps
  return {
    sign: (grant) => signValue(signingKey, USE, AnswerGrant.parse(grant)),
    verify(text) {
      const value = verifyValue(signingKey, USE, text)
      if (value === undefined) throw new AppError("forbidden", "This link isn't valid.")
      const grant = AnswerGrant.parse(value)
      if (grant.expires <= clock.now()) throw new AppError("forbidden", "This link has expired. Ask for a new one.")
      return grant
    },
  }
}
