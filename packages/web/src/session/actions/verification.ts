import { flag, number, object, orNull, text } from "../../api/decode.ts"

const reviewer = {
  verification_agent: orNull(text),
  verification_model: orNull(text),
  verification_reasoning: orNull(text),
}

const settings = object({
  verify: orNull(flag),
  allow_test_changes: orNull(flag),
  verification_attempts: orNull(number),
  ...reviewer,
})

/** Settings that determine how a session's tasks are verified, as returned by the server. */
export const SessionVerification = object({
  session: settings,
  repository: settings,
  owner: settings,
  effective: object({ verify: flag, allow_test_changes: flag, verification_attempts: number, ...reviewer }),
})
