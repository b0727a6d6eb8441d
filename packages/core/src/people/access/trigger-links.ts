import { createHmac } from "node:crypto"
import * as z from "zod"
import { AppError } from "../../errors.ts"
import { isEqual } from "./secrets.ts"

/** Permission to fire one trigger of a team. */
export const TriggerGrant = z.object({ owner: z.string(), session_id: z.string(), trigger_id: z.string() })
export type TriggerGrant = z.infer<typeof TriggerGrant>

/**
 * Links that let other programs fire a trigger. A link is signed, not stored, and stops working when the trigger is
 * cancelled.
 */
export interface TriggerLinks {
  /** Returns the link's path from the server's root. */
  sign(grant: TriggerGrant): string
  /** Returns the grant of a link's token. Throws `forbidden` if it was altered or signed by another server. */
  verify(token: string): TriggerGrant
}

export function createTriggerLinks({ signingKey }: { signingKey: Uint8Array }): TriggerLinks {
  const sign = (body: string) => {
    return `${body}.${createHmac("sha256", signingKey).update(`trigger ${body}`).digest("base64url")}`
  }
  return {
    sign: (grant) => `/hooks/${sign(Buffer.from(JSON.stringify(TriggerGrant.parse(grant))).toString("base64url"))}`,
    verify(token) {
      const [body = ""] = token.split(".")
      if (!isEqual(token, sign(body))) throw new AppError("forbidden", "This link is not valid.")
      return TriggerGrant.parse(JSON.parse(Buffer.from(body, "base64url").toString()))
    },
  }
}
