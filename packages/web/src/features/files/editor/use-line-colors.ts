import { skipToken, useQuery } from "@tanstack/react-query"
import { languageOf } from "./language.ts"
import type { LineColors } from "./line-colors.ts"

/** Returns what colours the code of a file; null until its language is loaded, and for an unknown one. */
export function useLineColors(path: string): LineColors | null {
  const id = languageOf(path)
  const { data } = useQuery({
    queryKey: ["line-colors", id],
    queryFn: id === null ? skipToken : async () => (await import("./line-colors.ts")).loadLineColors(id),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return data ?? null
}
