import { parseJson } from "../../text/parse-json.ts"
import type { AgentFolders } from "../clis/cli.ts"
import type { AgentEvent, ToolUse } from "../clis/protocol.ts"
import type { ToolKind } from "../clis/schema.ts"
import type { PermissionRequest } from "../permissions/schema.ts"
import { asNumber, asObject, asObjects, asText, isObject, type JsonObject } from "./json-protocol.ts"
import { permissionRequest, replacedText } from "./permission-request.ts"
import { relativePath, toolKindOf, toolUse } from "./tool-kinds.ts"
import { toolOutput } from "./tool-output.ts"

/**
 * Tool calls of an agent that speaks the Agent Client Protocol. The agent sends the parts of a call in several updates.
 */
export interface AcpToolCalls {
  /** Merges an update into its call, and returns the call. Later values replace earlier ones unless they are empty. */
  merge(update: JsonObject): JsonObject
  /**
   * Returns the events of a call that are known so far: its start, its end, or both. Each event is returned only once.
   */
  progress(call: JsonObject): AgentEvent[]
  /** Returns the event that starts a call, unless it was already returned. */
  start(call: JsonObject): AgentEvent[]
  /** Returns the tool that the call with this ID uses, as far as it is known. */
  toolOf(id: string): ToolKind | undefined
  /** Returns the permission request for a call, as shown to people and matched against rules. */
  permission(call: JsonObject): PermissionRequest
  /** Records that a call was denied. This is needed because some agents never report the end of a denied call. */
  deny(id: string, reason: string): void
  /** Returns the events that end denied calls, if the agent hasn't reported their end. */
  endDenied(): AgentEvent[]
  readonly startedCount: number
}

/** Maximum number of calls whose parts are kept. The oldest is dropped first. */
const MAX_OPEN = 1000

export function createAcpToolCalls(folders: AgentFolders): AcpToolCalls {
  const states = new Map<string, "started" | "finished">()
  const names = new Map<string, string>()
  /**
   * Parts of open calls that have arrived so far. A permission request may contain only the call's ID; the other fields
   * are taken from here.
   */
  const open = new Map<string, JsonObject>()
  const denied = new Map<string, string>()
  const tools = new Map<string, ToolKind>()

  function merge(update: JsonObject): JsonObject {
    const id = asText(update.toolCallId)
    const call = {
      ...open.get(id),
      ...Object.fromEntries(Object.entries(update).filter(([, value]) => !isEmpty(value))),
    }
    open.set(id, call)
    if (open.size > MAX_OPEN) open.delete(open.keys().next().value ?? "")
    if (toolKindOf(names.get(id) ?? "") === undefined) names.set(id, toolName(call))
    return call
  }

  function progress(call: JsonObject): AgentEvent[] {
    const id = asText(call.toolCallId)
    const finished = call.status === "completed" || call.status === "failed"
    // Many agents send a call's name before its arguments. Don't report the start until there are arguments.
    const known = finished || call.status === "in_progress" || Object.keys(rawOf(call.rawInput)).length > 1
    const events = known ? start(call) : []
    if (!finished || states.get(id) === "finished") return events
    states.set(id, "finished")
    open.delete(id)
    return [...events, toolFinished(id, call)]
  }

  function start(call: JsonObject): AgentEvent[] {
    const id = asText(call.toolCallId)
    if (states.has(id)) return []
    states.set(id, "started")
    const use = useOf(call)
    tools.set(id, use.tool)
    return [{ type: "tool_started", id, ...use }]
  }

  function permission(call: JsonObject): PermissionRequest {
    return permissionRequest(useOf(call), rawOf(call.rawInput), {
      paths: pathsOf(call).map((path) => relativePath(folders, path)),
      isUnreadable: !isReadable(call.rawInput),
      diff: diffOf(call),
    })
  }

  function useOf(call: JsonObject): ToolUse {
    const input = rawOf(call.rawInput)
    const name = names.get(asText(call.toolCallId)) ?? toolName(call)
    const use = toolUse(name, input, folders, asText(call.kind))
    const [path = ""] = pathsOf(call)
    // Gemini sends the command only in the title of the call.
    const isTitled = use.tool === "bash" && !use.command && idName(call) === "run_shell_command"
    const command = isTitled && asText(call.title) ? { command: asText(call.title) } : {}
    const where = path && !use.path && use.tool !== "bash" ? { path: relativePath(folders, path) } : {}
    return { ...use, ...command, ...where }
  }

  function endDenied(): AgentEvent[] {
    const unreported = [...denied].filter(([id]) => states.get(id) === "started")
    denied.clear()
    return unreported.map(([id, summary]) => {
      states.set(id, "finished")
      return { type: "tool_finished", id, ok: false, exitCode: null, summary }
    })
  }

  return {
    merge,
    progress,
    start,
    toolOf: (id) => tools.get(id),
    permission,
    deny: (id, reason) => void denied.set(id, reason),
    endDenied,
    get startedCount() {
      return states.size
    },
  }
}

/** Returns a tool's arguments or result as an object. Vibe sends them as JSON text. */
function rawOf(value: unknown): JsonObject {
  return asObject(typeof value === "string" ? parseJson(value) : value)
}

/** True if the arguments are an object, JSON of an object, or missing. */
function isReadable(value: unknown): boolean {
  return value === undefined || isObject(typeof value === "string" ? parseJson(value) : value)
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === undefined || value === null || value === "" || (isObject(value) && Object.keys(value).length === 0)
}

/**
 * Returns the tool's name. It is in the ID for Gemini, in the metadata for Vibe, and in the first title for opencode.
 * For other agents, returns the call's kind.
 */
function toolName(call: JsonObject): string {
  const names = [idName(call), asText(asObject(call._meta).tool_name), asText(call.title)]
  return names.find((name) => toolKindOf(name) !== undefined) ?? (asText(call.kind) || "tool")
}

function idName({ toolCallId }: JsonObject): string {
  return asText(toolCallId).split("__")[0] ?? ""
}

/** Returns the files named in any part of a call. */
function pathsOf({ content, locations }: JsonObject): string[] {
  const diffs = asObjects(content).filter(({ type }) => type === "diff")
  const paths = [...diffs, ...asObjects(locations)].map(({ path }) => asText(path)).filter((path) => path !== "")
  return [...new Set(paths)]
}

/** Returns the file changes shown in a tool call, if any. */
function diffOf({ content }: JsonObject): string | undefined {
  const diffs = asObjects(content).filter(({ type }) => type === "diff")
  if (diffs.length === 0) return undefined
  return diffs.map(({ oldText, newText }) => replacedText(asText(oldText), asText(newText))).join("\n")
}

function toolFinished(id: string, call: JsonObject): AgentEvent {
  const output = rawOf(call.rawOutput)
  const exitCode = asNumber(asObject(output.metadata).exit ?? output.exitCode ?? output.exit_code ?? output.returncode)
  const texts = asObjects(call.content).map(({ content }) => asText(asObject(content).text))
  const ok = call.status === "completed" && (exitCode ?? 0) === 0
  return { type: "tool_finished", id, ok, exitCode, ...toolOutput(asText(output.output) || texts.join("\n")) }
}
