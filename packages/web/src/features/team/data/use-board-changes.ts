import type { NewTeamNode, NewTeamWorker } from "@switchyard/core/work/teams/request-schema"
import { useMutation } from "@tanstack/react-query"
import type * as z from "zod"
import { anything } from "../../../api/decode.ts"
import { useStudio } from "../../../session/context/studio.ts"
import { board } from "./responses.ts"

type Change =
  | { do: "add a node"; body: z.input<typeof NewTeamNode> }
  | { do: "add a worker"; body: z.input<typeof NewTeamWorker> }
  | { do: "assign"; node: string; worker: string }
  | { do: "move"; node: string; before: string | null }
  | { do: "retry"; node: string }
  | { do: "cancel"; run: string }

/** Returns a mutation for changes that a person makes to a team's board. The board shows them like any other event. */
export function useBoardChanges(teamId: string) {
  const { api } = useStudio()
  const path = { id: teamId }
  return useMutation({
    mutationFn: (change: Change): Promise<unknown> => {
      switch (change.do) {
        case "add a node":
          return api.call("POST /api/v1/teams/{id}/nodes", { path, body: change.body, response: board })
        case "add a worker":
          return api.call("POST /api/v1/teams/{id}/workers", { path, body: change.body, response: board })
        case "assign": {
          const given = { path: { ...path, node: change.node }, body: { worker: change.worker }, response: board }
          return api.call("POST /api/v1/teams/{id}/nodes/{node}/assign", given)
        }
        case "move": {
          const given = { path: { ...path, node: change.node }, body: { before: change.before }, response: board }
          return api.call("POST /api/v1/teams/{id}/nodes/{node}/move", given)
        }
        case "retry": {
          const given = { path: { ...path, node: change.node }, response: board }
          return api.call("POST /api/v1/teams/{id}/nodes/{node}/retry", given)
        }
        case "cancel":
          return api.call("POST /v1/runs/{id}/cancel", { path: { id: change.run }, response: anything })
      }
    },
  })
}
