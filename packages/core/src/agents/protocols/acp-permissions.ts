import type { PermissionDecision } from "../clis/protocol.ts"
import { asObject, asObjects, asText, type JsonObject } from "./json-protocol.ts"

/** Open permission requests of an agent that speaks the Agent Client Protocol. */
export interface AcpPermissions {
  /** Stores a permission request until it is answered. Returns false if too many requests are open. */
  add(request: JsonObject): boolean
  /**
   * Returns the response to a request and the ID of its tool call, and closes the request. Undefined if the request
   * isn't open.
   */
  answer(id: string, decision: PermissionDecision): { response: object; toolCallId: string } | undefined
}

/** Maximum number of open requests. Agents ask about far fewer uses at once. */
const MAX_OPEN = 100

export function createAcpPermissions({ mustAsk }: { mustAsk: boolean }): AcpPermissions {
  const requests = new Map<string, { id: unknown; toolCallId: string; options: JsonObject[] }>()
  // If we answered "always", the agent would no longer ask, and rules could no longer be applied.
  const allowing = mustAsk ? ["allow_once"] : ["allow_once", "allow_always"]
  return {
    add({ id, params }) {
      if (requests.size >= MAX_OPEN) return false
      const { options, toolCall } = asObject(params)
      const toolCallId = asText(asObject(toolCall).toolCallId)
      requests.set(String(id), { id, toolCallId, options: asObjects(options) })
      return true
    },
    answer(id, { effect }) {
      const request = requests.get(id)
      if (!request) return undefined
      requests.delete(id)
      const kinds = effect === "allow" ? allowing : ["reject_once", "reject_always"]
      const chosen = kinds.flatMap((kind) => request.options.filter((option) => option.kind === kind))[0]
      const outcome = chosen ? { outcome: "selected", optionId: chosen.optionId } : { outcome: "cancelled" }
      return { response: { jsonrpc: "2.0", id: request.id, result: { outcome } }, toolCallId: request.toolCallId }
    },
  }
}
