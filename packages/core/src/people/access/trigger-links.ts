import * as z from "zod"
import { AppError } from "../../errors.ts"
import { signValue, verifyValue } from "./secrets.ts"

/** Permission to fire a team's trigger. */
export const TriggerGrant = z.object({ owner: z.string(), session_id: z.string(), trigger_id: z.string() })
export type TriggerGrant = z.infer<typeof TriggerGrant>

const USE = "trigger"

/**
 * Creates links that let other programs fire a trigger. A link is signed, not stored. It stops working when the trigger
 * is cancelled.
 */
export function createTriggerLinks({ signingKey }: { signingKey: Uint8Array }) {
  return {
    /** Returns the link as a path. */
    sign: (grant: TriggerGrant): string => `/hooks/${signValue(signingKey, USE, TriggerGrant.parse(grant))}`,
    /** Returns the grant in a link's token. Throws `forbidden` if the token was altered or signed by another server. */
    verify(token: string): TriggerGrant {
      const value = verifyValue(signingKey, USE, token)
      if (value === undefined) throw new AppError("forbidden", "This link isn't valid.")
      return TriggerGrant.parse(value)
    },
  }
}
