import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { FileSymbols, SymbolMap, SymbolMapVariant } from "@switchyard/core/work/chat/symbols-schema"
import type { AppDeps } from "../../deps.ts"
import { createChatSessions } from "../../http/chat-session.ts"
import { answers, createRoutes, endpointsOf } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("chat")
const path = "/api/v1/sessions/{id}/symbols"

export const routes = {
  map: endpoint.get(`${path}/map`, {
    summary: "Get the chat's symbol map of the code",
    description:
      "Covers the files that turns have parsed so far. The same files always give the same map, byte for byte.",
    request: { params: SessionId, query: z.object({ variant: SymbolMapVariant.default("model") }) },
    responses: answers(SymbolMap, "The map"),
  }),
  file: endpoint.get(path, {
    summary: "Get the declarations and imports of a file",
    request: { params: SessionId, query: z.object({ path: z.string().max(1024) }) },
    responses: answers(FileSymbols, "The file's symbols, in file order"),
  }),
}

/** Serves the symbols in a chat's code. Loads the parsers on demand, so that the API starts faster. */
export function symbolRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const { find } = createChatSessions(deps)
  const load = () => import("@switchyard/core/work/chat/files/read-symbols")

  return createRoutes()
    .openapi(routes.map, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      const { readSymbolMap } = await load()
      return c.json(await readSymbolMap(deps, session, { ...c.req.valid("query"), ...options }), 200)
    })
    .openapi(routes.file, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      const { readFileSymbols } = await load()
      return c.json(await readFileSymbols(deps, session, { ...c.req.valid("query"), ...options }), 200)
    })
}
