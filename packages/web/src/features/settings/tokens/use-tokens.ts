import { CreatedToken, type NewToken, Token } from "@switchyard/core/people/access/schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import * as z from "zod"
import { useStudio } from "../../../session/context/studio.ts"

const KEY = ["tokens"]
const Tokens = z.object({ tokens: z.array(Token) })
const Revoked = z.object({ id: z.string(), revoked: z.literal(true) })

/** The tokens that the user may see, and the actions on them. */
export function useTokens() {
  const { api } = useStudio()
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: KEY })
  const list = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /v1/tokens", { response: Tokens, signal }),
  })
  const create = useMutation({
    mutationFn: (body: NewToken) => api.call("POST /v1/tokens", { body, response: CreatedToken }),
    onSuccess,
  })
  const revoke = useMutation({
    mutationFn: (id: string) => api.call("DELETE /v1/tokens/{id}", { path: { id }, response: Revoked }),
    onSuccess,
  })
  return { list, create, revoke }
}
