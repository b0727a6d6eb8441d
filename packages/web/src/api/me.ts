import type { Me } from "@switchyard/core/people/access/schema"
import { list, object, oneOf, orNull, type Shape, text } from "./shape.ts"

/** Who sits here. The first thing that a page asks, so it doesn't wait for the library of schemas. */
export const MeShape: Shape<Me> = object({
  owner: text,
  scopes: list(oneOf("read", "run", "admin")),
  auth_mode: oneOf("open", "token"),
  token_id: orNull(text),
  csrf_token: orNull(text),
})
