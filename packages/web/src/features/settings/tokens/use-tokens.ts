import { CreatedToken, type NewToken, Token } from "@switchyard/core/people/access/schema"
import * as z from "zod"
import { useChange, useResponse } from "../../../session/context/requests.ts"

const KEY = ["tokens"]
const Tokens = z.object({ tokens: z.array(Token) })
const Revoked = z.object({ id: z.string(), revoked: z.literal(true) })

/** Returns the tokens that the user may see, and actions on them. */
export function useTokens() {
  const list = useResponse(KEY, "GET /v1/tokens", { response: Tokens })
  const create = useChange((api, body: NewToken) => api.call("POST /v1/tokens", { body, response: CreatedToken }), KEY)
  const revoke = useChange(
    (api, id: string) => api.call("DELETE /v1/tokens/{id}", { path: { id }, response: Revoked }),
    KEY,
  )
  return { list, create, revoke }
}
