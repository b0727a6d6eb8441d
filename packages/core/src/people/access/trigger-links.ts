import { createHmac } from "node:crypto"
import * as z from "zod"
import { AppError } from "../../errors.ts"
import { isEqual } from "./secrets.ts"

/** The right to fire one trigger of a team. */
export const TriggerGrant = z.object({ owner: z.string(), session_id: z.string(), trigger_id: z.string() })
export type TriggerGrant = z.infer<typeof TriggerGrant>

/** Links by which other programs fire a trigger. A link is signed, not stored, and worth nothing once the trigger is cancelled. */
export interface TriggerLinks {
  /** The link's path, from the server's root on. */
  sign(grant: TriggerGrant): string
  /** The grant of a link's token. Throws `forbidden` for one that was altered or signed by another server. */
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
