import { StoredRepositoriesSettings } from "@switchyard/core/people/settings/repository-settings-schema"
import { useQuery } from "@tanstack/react-query"
import { useStudio } from "../../session/context/studio.ts"

/** The agent that the settings of a repository prefer; undefined where they name none. */
export function usePreferredAgent(repository: string): string | undefined {
  const { api } = useStudio()
  const settings = useQuery({
    queryKey: ["repositories"],
    queryFn: ({ signal }) =>
      api.call("GET /api/v1/config/repositories", { response: StoredRepositoriesSettings, signal }),
  })
  const named = plain(repository)
  if (named === "") return undefined
  const found = settings.data?.repositories.findLast((one) => plain(one.repository) === named)
  return found?.preferred_coding_agent ?? undefined
}

function plain(repository: string): string {
  return repository.trim().replace(/(?<=.)\/$/, "")
}
