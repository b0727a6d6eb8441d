/** Holds back the object for programs at the end of an agent's message: its milestone says the same to people. */
export interface VisibleText {
  /** The text to show now; the rest follows when it is known what it is. */
  take(text: string): string
  /** The text that was held back, once the message is over. */
  end(): string
}

const FENCE = "```json"
const SUMMARY_KEY = '"change_summary"'
/** A longer line is no beginning of a block, however much white space ends it. */
const MAX_FENCE_CHARS = 40

export function createVisibleText(): VisibleText {
  /** The lines of a block of JSON that has no end yet. */
  let block = ""
  /** The current line so far, if it is held back. */
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
    take: (text) =>
      text
        .split(/(?<=\n)/)
        .map(takePart)
        .join(""),
    end() {
      block += takeLine()
      isShownLine = false
      return takeBlock()
    },
  }
}

/** Whether the line begins a block of JSON, or is the beginning of a line that may. */
function mayBeFence(line: string): boolean {
  return line.length <= MAX_FENCE_CHARS && (FENCE.startsWith(line) || line.trimEnd() === FENCE)
}

function withoutSummary(block: string): string {
  return block.includes(SUMMARY_KEY) ? "" : block
}
