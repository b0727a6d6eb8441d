import {
  type RepositorySettings,
  StoredRepositoriesSettings,
} from "@switchyard/core/people/settings/repository-settings-schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useStudio } from "../../../session/context/studio.ts"

const KEY = ["repositories"]

/** The settings of the user's repositories. They are replaced as a whole, and never over somebody else's change. */
export function useRepositories() {
  const { api } = useStudio()
  const client = useQueryClient()
  const list = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) =>
      api.call("GET /api/v1/config/repositories", { response: StoredRepositoriesSettings, signal }),
  })
  const replace = useMutation({
    mutationFn: (repositories: RepositorySettings[]) =>
      api.call("PUT /api/v1/config/repositories", {
        body: { repositories, version: list.data?.version },
        response: StoredRepositoriesSettings,
      }),
    onSuccess: (stored) => client.setQueryData(KEY, stored),
    onError: () => client.invalidateQueries({ queryKey: KEY }),
  })
  return { list, replace }
}
