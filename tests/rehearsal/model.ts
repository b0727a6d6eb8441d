import { projectTurn, subjectOf } from "../faults/project.ts"
import type { Turn } from "../fixtures/model-server/script.ts"
import { startModelServer } from "../fixtures/model-server/server.ts"

/** Called before the model answers. Resolves to another answer, if any. */
// biome-ignore lint/suspicious/noConfusingVoidType: a promise of nothing is one of these
export type OnTurn = (subject: string) => Promise<Turn | void> | undefined

/**
 * Starts a model that writes the same seven files for every caller. A caller's key identifies its run, so `watch` can
 * add a fault at one turn of one run.
 */
export async function startModel() {
  const watched = new Map<string, OnTurn>()
  const server = await startModelServer(async (request): Promise<Turn> => {
    const turn = await watched.get(request.apiKey)?.(subjectOf(request))
    return turn ?? projectTurn(request)
  })
  return {
    url: server.url,
    close: server.close,
    watch(apiKey: string, onTurn: OnTurn): void {
      watched.set(apiKey, onTurn)
    },
    /** Returns the subjects of a caller's requests, in order. */
    turns: (apiKey: string) => server.requests.filter((request) => request.apiKey === apiKey).map(subjectOf),
  }
}
