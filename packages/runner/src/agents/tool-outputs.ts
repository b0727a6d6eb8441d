import { createHash } from "node:crypto"
import { isAbsolute, join } from "node:path"
import type { AgentEvent } from "@switchyard/core/agents/clis/protocol"
import type { NewEvent } from "@switchyard/core/events"
import type { ArtifactRef } from "@switchyard/core/kernel/artifact-schema"
import type { Files } from "../files/files.ts"

/** Stores tool results that don't fit into events: long outputs, and hashes of written files. */
export interface ToolOutputs {
  take(event: AgentEvent): void
  /** Stores the outputs, and returns the events with references to the outputs and with file hashes. */
  complete(events: NewEvent[]): Promise<NewEvent[]>
}

interface ToolOutputsDeps {
  store: (bytes: Uint8Array) => Promise<ArtifactRef>
  /** Reads files with the agent's permissions. */
  files: Files
  /** Folder of the agent's project. */
  folder: string
}

/** Maximum size of a stored output. Without a limit, an agent that prints endlessly would fill the store. */
const MAX_BYTES = 10 * 1024 * 1024

export function createToolOutputs({ store, files, folder }: ToolOutputsDeps): ToolOutputs {
  const outputs = new Map<string, string>()
  const written = new Map<string, string>()

  async function finished(event: Extract<NewEvent, { type: "tool_call_finished" }>): Promise<NewEvent> {
    const { tool_call_id: id } = event
    const [output, path] = [outputs.get(id), written.get(id)]
    outputs.delete(id)
    written.delete(id)
    const stdout_ref = output === undefined ? undefined : await store(clipped(output))
    const after_sha256 = path === undefined || event.exit_code !== 0 ? undefined : await hashOf(path)
    return { ...event, ...(stdout_ref && { stdout_ref }), ...(after_sha256 && { after_sha256 }) }
  }

  async function hashOf(path: string): Promise<string | undefined> {
    const bytes = await files.readRegular(Buffer.from(join(folder, path)))
    return bytes && createHash("sha256").update(bytes).digest("hex")
  }

  return {
    take(event) {
      if (event.type === "tool_finished" && event.output !== undefined) outputs.set(event.id, event.output)
      if (event.type !== "tool_started" || event.path === undefined || isAbsolute(event.path)) return
      if (event.tool === "write" || event.tool === "edit") written.set(event.id, event.path)
    },
    complete(events) {
      return Promise.all(events.map((event) => (event.type === "tool_call_finished" ? finished(event) : event)))
    },
  }
}

function clipped(output: string): Uint8Array {
  const bytes = Buffer.from(output)
  if (bytes.byteLength <= MAX_BYTES) return bytes
  const left = bytes.byteLength - MAX_BYTES
  // If a character was cut in half, `toString` replaces it with the replacement character.
  return Buffer.from(`${bytes.subarray(0, MAX_BYTES).toString()}\n[${left} more bytes omitted]\n`)
}
