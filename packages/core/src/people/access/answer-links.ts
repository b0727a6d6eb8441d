import * as z from "zod"
import { AppError } from "../../errors.ts"
import { signValue, verifyValue } from "./secrets.ts"

/** Permission to read and answer one question of an owner. */
export const AnswerGrant = z.object({
  owner: z.string(),
  session_id: z.string(),
  question_id: z.string(),
  /** Unix milliseconds. */
  expires: z.number(),
})
export type AnswerGrant = z.infer<typeof AnswerGrant>

/**
 * Links for answering one question without login. A link is signed, not stored. It is useless for other questions,
 * after its expiry, or once the question is answered.
 */
export interface AnswerLinks {
  /** Returns the text for the link. */
  sign(grant: AnswerGrant): string
  /**
   * Returns the grant of a link's text. Throws `forbidden` if it was altered, signed by another server, or has expired.
   */
  verify(text: string): AnswerGrant
}

/** Path of the page behind a link. The text is in its query, which is never logged. */
export const ANSWER_PATH = "/answer"

/** Returns the link from the server's root. */
export function answerLink(text: string): string {
  return `${ANSWER_PATH}?link=${text}`
}

const USE = "answer"

export function createAnswerLinks({
  signingKey,
  clock,
}: {
  signingKey: Uint8Array
  clock: { now(): number }
}): AnswerLinks {
  return {
    sign: (grant) => signValue(signingKey, USE, AnswerGrant.parse(grant)),
    verify(text) {
      const value = verifyValue(signingKey, USE, text)
      if (value === undefined) throw new AppError("forbidden", "This link is not valid.")
      const grant = AnswerGrant.parse(value)
      if (grant.expires <= clock.now()) throw new AppError("forbidden", "This link has expired. Ask for a new one.")
      return grant
    },
  }
}
