import { createHmac } from "node:crypto"
import * as z from "zod"
import { AppError } from "../../errors.ts"
import { isEqual } from "./secrets.ts"

/** The right to answer one question of an owner's, and to read it. */
export const AnswerGrant = z.object({
  owner: z.string(),
  session_id: z.string(),
  question_id: z.string(),
  /** Unix milliseconds. */
  expires: z.number(),
})
export type AnswerGrant = z.infer<typeof AnswerGrant>

/**
 * Links by which somebody without a log-in answers one question. A link is signed, not stored: it is worth nothing for another
 * question, after its time, or once the question has its answer.
 */
export interface AnswerLinks {
  /** The text that stands in the link. */
  sign(grant: AnswerGrant): string
  /** The grant of such a text. Throws `forbidden` for one that was altered or signed by another server, or has expired. */
  verify(text: string): AnswerGrant
}

/** The path of the page behind a link. The text is in its query, which no log has. */
export const ANSWER_PATH = "/answer"

/** The link, from the server's root on. */
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
