import type { Me } from "@switchyard/core/people/access/schema"
import { type Decoder, list, object, oneOf, orNull, text } from "./decode.ts"

/** Decodes the current user. Every page requests it first, so it doesn't use the schema library. */
export const MeDecoder: Decoder<Me> = object({
  owner: text,
  scopes: list(oneOf("read", "run", "admin")),
  auth_mode: oneOf("open", "token"),
  token_id: orNull(text),
  csrf_token: orNull(text),
})
