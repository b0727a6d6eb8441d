import type { AgentFolders } from "../clis/cli.ts"
import type { AgentEvent } from "../clis/protocol.ts"
import type { PermissionRequest } from "../permissions/schema.ts"
import { approvalRequest, itemFinished, itemStarted } from "./codex-items.ts"
import { asText, type JsonObject } from "./json-protocol.ts"

/** Messages and tool calls in an app server's threads. */
export interface AppServerItems {
  started(item: JsonObject): AgentEvent[]
  /** Returns the event for a part of a message or of a reasoning summary. */
  delta(type: "text" | "thinking", params: JsonObject): AgentEvent[]
  /** Returns the event that ends a tool call, or a message that didn't arrive in parts. */
  completed(item: JsonObject): AgentEvent[]
  /** Returns the permission request for an item. */
  approval(type: string | undefined, params: JsonObject): PermissionRequest
}

export function createAppServerItems(folders: AgentFolders): AppServerItems {
  const streamed = new Set<string>()
  /** Items that have been announced. They contain the commands and changes that approval requests refer to. */
  const open = new Map<string, JsonObject>()
  return {
    started(item) {
      open.set(asText(item.id), item)
      const started = itemStarted(item, folders)
      return started ? [started] : []
    },
    delta(type, { itemId, delta }) {
      streamed.add(asText(itemId))
      return textEvent(type, delta, itemId)
    },
    completed(item) {
      open.delete(asText(item.id))
      if (item.type === "agentMessage") {
        return streamed.has(asText(item.id)) ? [] : textEvent("text", item.text, item.id)
      }
      return itemStarted(item, folders) ? [itemFinished(item)] : []
    },
    approval: (type, params) => approvalRequest({ type, ...open.get(asText(params.itemId)), ...params }, folders),
  }
}

function textEvent(type: "text" | "thinking", text: unknown, id: unknown): AgentEvent[] {
  return asText(text) ? [{ type, text: asText(text), message: asText(id) }] : []
}
