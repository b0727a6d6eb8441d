import type { ToolCallDelta, ToolSpec } from "../../models/provider.ts"
import type { HarnessContext } from "./context.ts"
import { createEditPreview } from "./edit-preview.ts"
import { createJsonStringDecoder } from "./json-strings.ts"
import { type Tool, toolNamed } from "./tools.ts"

/** Interval between reasoning events: short enough to show activity, and long enough to keep the log small. */
const REASONING_EVERY_MS = 2000

/** Preview of an unfinished answer, which shows file text and reasoning progress. */
export type CallPreview = ReturnType<typeof createCallPreview>

export function createCallPreview(context: HarnessContext, tools: readonly (ToolSpec | Tool)[]) {
  const { clock } = context
  let calls = new Map<number, ((argumentsDelta: string) => void) | undefined>()
  let previewEdit = createEditPreview(context)
  let reasoningChars = 0
  let shownAt = Number.NEGATIVE_INFINITY

  function previewOf({ index, name }: ToolCallDelta) {
    if (!calls.has(index)) {
      const tool = toolNamed(name, tools)
      calls.set(index, tool && "call" in tool ? startPreview(tool) : undefined)
    }
    return calls.get(index)
  }

  function startPreview({ writes, edits }: Tool) {
    if (writes) return createFilePreview(context, writes)
    return edits && previewEdit.start(edits)
  }

  return {
    addToolCallDelta: (delta: ToolCallDelta): void => previewOf(delta)?.(delta.argumentsDelta),
    addReasoning(chars: number): void {
      reasoningChars += chars
      if (clock.monotonic() - shownAt < REASONING_EVERY_MS) return
      shownAt = clock.monotonic()
      context.emitReasoning(reasoningChars)
    },
    /** Discards the preview. Called when the answer ends, or before another attempt. */
    reset(): void {
      calls = new Map()
      previewEdit.stop()
      previewEdit = createEditPreview(context)
      reasoningChars = 0
      shownAt = Number.NEGATIVE_INFINITY
    },
  }
}

/**
 * Emits a file's text from the arguments of the call that writes the file. Until the call names its file, assumes the
 * file of the node visit. If the node visit has no file, waits for the name.
 */
function createFilePreview({ filePath, emitFileText }: HarnessContext, writes: NonNullable<Tool["writes"]>) {
  const decode = createJsonStringDecoder()
  let named = ""
  let path = filePath
  let waiting = ""
  let offset = 0

  return (argumentsDelta: string) => {
    for (const { path: keys, text, isLast } of decode(argumentsDelta)) {
      if (keys.length !== 1) continue
      if (keys[0] === writes.textKey) waiting += text
      if (keys[0] !== writes.pathKey) continue
      named += text
      if (isLast) path = writes.toPath(named) ?? path
    }
    if (path === undefined || waiting === "") return
    emitFileText({ path, offset, text: waiting })
    offset += waiting.length
    waiting = ""
  }
}
