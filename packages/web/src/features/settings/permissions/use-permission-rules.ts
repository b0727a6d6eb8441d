import { type PermissionRules, StoredPermissionRules } from "@switchyard/core/people/settings/permission-rules-schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useStudio } from "../../../session/context/studio.ts"

const KEY = ["permission-rules"]

/** The user's rules for agents. They are replaced as a whole, and never over somebody else's change. */
export function usePermissionRules() {
  const { api } = useStudio()
  const client = useQueryClient()
  const list = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /api/v1/config/permissions", { response: StoredPermissionRules, signal }),
  })
  const replace = useMutation({
    mutationFn: (rules: PermissionRules & { version: number }) =>
      api.call("PUT /api/v1/config/permissions", { body: rules, response: StoredPermissionRules }),
    onSuccess: (stored) => client.setQueryData(KEY, stored),
  })
  return { list, replace }
}
