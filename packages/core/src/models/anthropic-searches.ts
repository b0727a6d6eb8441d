import * as z from "zod"
import { NamedPage, toSource, type WebSearch } from "./web-search.ts"

const Block = z.object({
  type: z.string(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.object({ query: z.string() }).optional().catch(undefined),
  tool_use_id: z.string().optional(),
  content: z
    .union([z.array(NamedPage), z.object({ error_code: z.string() })])
    .optional()
    .catch(undefined),
  citations: z.array(NamedPage).nullish().catch(null),
})

/**
 * Returns the web searches in an answer's blocks. Failed searches have no fee, because Anthropic doesn't charge for
 * them.
 */
export function anthropicSearches(blocks: readonly unknown[]): WebSearch[] {
  const parsed = z.array(Block).parse(blocks)
  const cited = new Set(parsed.flatMap(({ citations }) => (citations ?? []).map(({ url }) => url)))
  return parsed.flatMap(({ type, id, name, input }): WebSearch[] => {
    if (type !== "server_tool_use" || name !== "web_search") return []
    const found = parsed.find((block) => block.tool_use_id === id)?.content ?? []
    const query = input?.query ?? ""
    if (!Array.isArray(found)) return [{ query, sources: [], hasFee: false, error: found.error_code }]
    return [{ query, sources: found.map((page) => toSource(page, cited.has(page.url))), hasFee: true }]
  })
}
