import { projectTurn, subjectOf } from "../faults/project.ts"
import type { Turn } from "../fixtures/model-server/script.ts"
import { startModelServer } from "../fixtures/model-server/server.ts"

/** What happens before the model answers, and, if it is to be another one, the answer. */
// biome-ignore lint/suspicious/noConfusingVoidType: a promise of nothing is one of these
export type OnTurn = (subject: string) => Promise<Turn | void> | undefined

/**
 * A model that writes the same seven files for everybody. Callers are known by their keys: whoever watches one hears of
 * each turn of its run, so that a fault strikes at one place of one run.
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
    /** What a caller's model was asked for, turn by turn. */
    turns: (apiKey: string) => server.requests.filter((request) => request.apiKey === apiKey).map(subjectOf),
  }
}
