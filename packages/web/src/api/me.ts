import type { Me } from "@switchyard/core/people/access/schema"
import { type Decoder, list, object, oneOf, orNull, text } from "./decode.ts"

/** The current user. Requested first by every page, so it doesn't wait for the library of schemas. */
export const MeDecoder: Decoder<Me> = object({
  owner: text,
  scopes: list(oneOf("read", "run", "admin")),
  auth_mode: oneOf("open", "token"),
  token_id: orNull(text),
  csrf_token: orNull(text),
})
