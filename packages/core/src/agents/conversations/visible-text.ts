const FENCE = "```json"
const SUMMARY_KEY = '"change_summary"'
/** Maximum length of a line that can start a JSON block, including trailing white space. */
const MAX_FENCE_CHARS = 40

/**
 * Returns a filter that hides the machine-readable object at the end of an agent's message. The content of that object
 * is shown as a milestone instead.
 */
export function createVisibleText() {
  /** Lines of a JSON block that isn't complete yet. */
  let block = ""
  /** Current line so far, if it isn't shown yet. */
  let line = ""
  let isShownLine = false

  function takePart(part: string): string {
    const isWhole = part.endsWith("\n")
    if (isShownLine) {
      isShownLine = !isWhole
      return part
    }
    line += part
    if (block === "" && !mayBeFence(line)) {
      isShownLine = !isWhole
      return takeLine()
    }
    if (!isWhole) return ""
    const isEnd = block !== "" && line.trimEnd() === "```"
    block += takeLine()
    return isEnd ? takeBlock() : ""
  }

  function takeLine(): string {
    const taken = line
    line = ""
    return taken
  }

  function takeBlock(): string {
    const taken = block
    block = ""
    return withoutSummary(taken)
  }

  return {
    /** Returns the text to show now. Text that may belong to the object is held back until this is certain. */
    take: (text: string): string =>
      text
        .split(/(?<=\n)/)
        .map(takePart)
        .join(""),
    /** Returns the remaining text once the message is complete. */
    end(): string {
      block += takeLine()
      isShownLine = false
      return takeBlock()
    },
  }
}

/** True if the line starts a JSON block, or might start one once it is complete. */
function mayBeFence(line: string): boolean {
  return line.length <= MAX_FENCE_CHARS && (FENCE.startsWith(line) || line.trimEnd() === FENCE)
}

function withoutSummary(block: string): string {
  return block.includes(SUMMARY_KEY) ? "" : block
}
