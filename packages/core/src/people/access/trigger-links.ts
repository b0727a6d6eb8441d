import * as z from "zod"
import { AppError } from "../../errors.ts"
import { signValue, verifyValue } from "./secrets.ts"

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

const USE = "trigger"

export function createTriggerLinks({ signingKey }: { signingKey: Uint8Array }): TriggerLinks {
  return {
    sign: (grant) => `/hooks/${signValue(signingKey, USE, TriggerGrant.parse(grant))}`,
    verify(token) {
      const value = verifyValue(signingKey, USE, token)
      if (value === undefined) throw new AppError("forbidden", "This link is not valid.")
      return TriggerGrant.parse(value)
    },
  }
}
