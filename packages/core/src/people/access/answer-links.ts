import { createHmac } from "node:crypto"
import * as z from "zod"
import { AppError } from "../../errors.ts"
import { isEqual } from "./secrets.ts"

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

export function createAnswerLinks({
  signingKey,
  clock,
}: {
  signingKey: Uint8Array
  clock: { now(): number }
}): AnswerLinks {
  const sign = (body: string) => {
    return `${body}.${createHmac("sha256", signingKey).update(`answer ${body}`).digest("base64url")}`
  }
  return {
    sign: (grant) => sign(Buffer.from(JSON.stringify(AnswerGrant.parse(grant))).toString("base64url")),
    verify(text) {
      const [body = ""] = text.split(".")
      if (!isEqual(text, sign(body))) throw new AppError("forbidden", "This link is not valid.")
      const grant = AnswerGrant.parse(JSON.parse(Buffer.from(body, "base64url").toString()))
      if (grant.expires <= clock.now()) throw new AppError("forbidden", "This link has expired. Ask for a new one.")
      return grant
    },
  }
}
