import type { Part } from "../../kernel/part.ts"
import { unsetVerification, type VerificationSettings } from "./settings-schema.ts"

export interface VerificationState {
  /** The session's settings for later tasks. */
  settings: VerificationSettings
}

export const verificationPart: Part<VerificationState> = {
  version: 1,
  initial: { settings: unsetVerification },
  apply(part, event) {
    return event.type === "verification_set" ? { settings: { ...unsetVerification, ...event.settings } } : part
  },
}
