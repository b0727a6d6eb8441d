import { Consent } from "@switchyard/core/agents/conversations/consent-schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import * as z from "zod"
import { useStudio } from "../../../session/context/studio.ts"

const KEY = ["consents"]
const Consents = z.object({ consents: z.array(Consent) })
const Withdrawn = z.object({ id: z.string() })

/** The user's consents to run things on the server's machine. */
export function useConsents() {
  const { api } = useStudio()
  const client = useQueryClient()
  const list = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /api/v1/consents", { response: Consents, signal }),
  })
  const withdraw = useMutation({
    mutationFn: (id: string) => api.call("DELETE /api/v1/consents/{id}", { path: { id }, response: Withdrawn }),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  })
  return { list, withdraw }
}
