import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { list, number, object, text } from "../../api/decode.ts"
import { useStudio } from "../../session/context/studio.ts"

const KEY = ["snippets"]
const Stored = object({ snippets: list(object({ title: text, text })), version: number })

/** A text that the user often writes in a chat. */
export interface Snippet {
  title: string
  text: string
}

/** The user's snippets, which are the same in every session. */
export function useSnippets() {
  const { api } = useStudio()
  const client = useQueryClient()
  const stored = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /api/v1/config/snippets", { response: Stored, signal }),
  })
  const saving = useMutation({
    networkMode: "always",
    mutationFn: async (snippets: Snippet[]) => {
      const body = { snippets, version: stored.data?.version ?? 0 }
      client.setQueryData(KEY, await api.call("PUT /api/v1/config/snippets", { body, response: Stored }))
    },
    // Another tab may have changed them.
    onError: () => client.invalidateQueries({ queryKey: KEY }),
  })
  return {
    snippets: stored.data?.snippets,
    error: stored.error ?? saving.error,
    isSaving: saving.isPending,
    /** Replaces all of them. Resolves to whether that succeeded. */
    save: (snippets: Snippet[]): Promise<boolean> =>
      saving.mutateAsync(snippets).then(
        () => true,
        () => false,
      ),
  }
}
