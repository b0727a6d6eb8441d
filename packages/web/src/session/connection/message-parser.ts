export interface StreamMessage {
  event: string
  data: string
}

/**
 * Creates a function that takes a stream's text in chunks and returns the messages completed so far. Handles only this
 * server's streams, whose messages have a single line of data. A parser for the full standard would take up a tenth of
 * what the run screen may load.
 */
export function createMessageParser(): (text: string) => StreamMessage[] {
  let rest = ""
  let message: Partial<StreamMessage> = {}
  return (text) => {
    const lines = text.split("\n")
    lines[0] = rest + lines[0]
    rest = lines.pop() ?? ""
    const complete: StreamMessage[] = []
    for (const line of lines) {
      // A proxy may change line endings.
      const end = line.endsWith("\r") ? -1 : undefined
      if (line.startsWith("event: ")) message.event = line.slice(7, end)
      else if (line.startsWith("data: ")) message.data = line.slice(6, end)
      else if (line.slice(0, end) === "") {
        const { event = "", data } = message
        if (data !== undefined) complete.push({ event, data })
        message = {}
      }
    }
    return complete
  }
}
