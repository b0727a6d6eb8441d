import type { NewEvent } from "../../events.ts"
import { endsInLoneSurrogate } from "../../text/well-formed.ts"
import type { AgentEvent } from "../clis/protocol.ts"
import { findProgress } from "./progress.ts"
import type { MessageBlock, Summary } from "./schema.ts"
import { findSummary } from "./summary.ts"

type Piece = Extract<AgentEvent, { type: "text" | "thinking" }>

/** Messages of an agent and its sub-agents, assembled from their parts. */
export interface Messages {
  /**
   * Adds a part. If the part begins a new message, returns the event for the previous message, which is now complete.
   * While a message is incomplete, returns events with text to show.
   */
  add(piece: Piece): NewEvent[]
  /** Ends the open message, if there is one, and returns its events. */
  flush(): NewEvent[]
  /** Last summary in messages of the agent itself. */
  readonly summary: Summary | undefined
  /** Text of the last message by the agent itself. */
  readonly lastMessage: string
}

const MESSAGE_CHARS = 20_000
const SHOWN_EVERY_MS = 250

/** A message that isn't complete yet. */
interface OpenMessage {
  id: string
  parent: string | undefined
  blocks: MessageBlock[]
  chars: number
  /** Parts of the text that haven't been sent in an event yet. */
  unshown: string[]
  shownAt: number
}

export function createMessages({ now }: { now: () => number }): Messages {
  let open: OpenMessage | undefined
  let summary: Summary | undefined
  let lastMessage = ""

  function add({ type, text, message: id, parent }: Piece): NewEvent[] {
    const full = open !== undefined && open.chars + text.length > MESSAGE_CHARS
    const before = full || open?.id !== id || open.parent !== parent ? flush() : []
    open ??= { id, parent, blocks: [], chars: 0, unshown: [], shownAt: now() }
    const last = open.blocks.at(-1)
    if (last?.kind === type) last.content += text
    else open.blocks.push({ kind: type, content: text })
    open.chars += text.length
    if (type === "text") open.unshown.push(text)
    return [...before, ...shown(open)]
  }

  /**
   * Returns an event with the new text of an unfinished message, at most a few times per second. A later event contains
   * the complete message.
   */
  function shown(message: OpenMessage): NewEvent[] {
    const isCut = endsInLoneSurrogate(message.unshown.at(-1) ?? "")
    if (message.unshown.length === 0 || isCut || now() - message.shownAt < SHOWN_EVERY_MS) return []
    const [text, lengths] = [message.unshown.join(""), message.unshown.map(({ length }) => length)]
    message.unshown = []
    message.shownAt = now()
    return [{ type: "model_text", text, lengths, ...(message.parent && { parent_tool_call_id: message.parent }) }]
  }

  function flush(): NewEvent[] {
    if (!open) return []
    const { blocks, parent } = open
    open = undefined
    const said = blocks.filter(({ kind }) => kind === "text").map(({ content }) => content)
    const text = said.join("\n\n")
    // Ignore sub-agents here. Only the agent itself describes the outcome of its task.
    if (parent) return [{ type: "assistant_message", blocks, parent_tool_call_id: parent }]
    if (text) lastMessage = text
    summary = findSummary(text) ?? summary
    const progress = findProgress(text)
    return [{ type: "assistant_message", blocks }, ...(progress ? [{ type: "progress" as const, ...progress }] : [])]
  }

  return {
    add,
    flush,
    get summary() {
      return summary
    },
    get lastMessage() {
      return lastMessage
    },
  }
}
