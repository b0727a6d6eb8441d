import { type AddedAgents, parseAddedAgents } from "@switchyard/core/agents/added/added"
import { parseJson } from "@switchyard/core/text/parse-json"

/** Parses added agents, as JSON. Entry points replace the path of a file by its content. */
export function addedAgentsIn(json: string | undefined): AddedAgents {
  return json === undefined ? new Map() : parseAddedAgents(parseJson(json))
}
