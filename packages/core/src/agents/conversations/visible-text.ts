/** Holds back the object for programs at the end of an agent's message: its milestone says the same to people. */
export interface VisibleText {
  /** The text to show now; the rest follows when it is known what it is. */
  take(text: string): string
  /** The text that was held back, once the message is over. */
  end(): string
}

const FENCE = "```json"
const SUMMARY_KEY = '"change_summary"'

export function createVisibleText(): VisibleText {
  /** Text from the beginning of a block, or of what may become one. */
  let held = ""
  let isAtLineStart = true

  function take(text: string): string {
    const lines = (held + text).split(/(?<=\n)/)
    held = ""
    let shown = ""
    for (const [index, line] of lines.entries()) {
      const begins = shown === "" ? isAtLineStart : shown.endsWith("\n")
      if (!begins || !mayBeFence(line)) {
        shown += line
        continue
      }
      const end = lines.findIndex((other, at) => at > index && other.trimEnd() === "```")
      if (end < 0) return hold(shown, lines.slice(index).join(""))
      const block = lines.slice(index, end + 1).join("")
      return hold(shown + withoutSummary(block), "") + take(lines.slice(end + 1).join(""))
    }
    return hold(shown, "")
  }

  function hold(shown: string, rest: string): string {
    if (shown !== "") isAtLineStart = shown.endsWith("\n")
    held = rest
    return shown
  }

  return {
    take,
    end() {
      const rest = withoutSummary(held)
      held = ""
      isAtLineStart = true
      return rest
    },
  }
}

/** Whether the line begins a block of JSON, or is the beginning of a line that may. */
function mayBeFence(line: string): boolean {
  return line.endsWith("\n") ? line.trimEnd() === FENCE : line !== "" && FENCE.startsWith(line.trimEnd())
}

function withoutSummary(block: string): string {
  return block.includes(SUMMARY_KEY) ? "" : block
}
