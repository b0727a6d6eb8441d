/** What a person types while the product speaks with the agent: a line, sent on Enter. */
export interface TypedLine {
  type(bytes: Uint8Array): void
}

export interface TypedLineDeps {
  /** Shows what is typed, as a terminal would. */
  echo: (text: string) => void
  /** Enter was pressed on a line that isn't empty. */
  submit: (line: string) => void
  /** Ctrl-C was pressed. */
  interrupt: () => void
}

const CTRL_C = "\u0003"
const CTRL_U = "\u0015"
const ESCAPE = "\u001b"

export function createTypedLine({ echo, submit, interrupt }: TypedLineDeps): TypedLine {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let line: string[] = []
  /** Inside a sequence of a key that has no character: it is left out. */
  let sequence = ""
  /** Shown at once: a paste is many characters. */
  let shown = ""

  function show(text: string): void {
    shown += text
  }

  function flush(): void {
    const text = shown
    shown = ""
    if (text !== "") echo(text)
  }

  function key(char: string): void {
    if (sequence !== "" || char === ESCAPE) skip(char)
    else if (char === CTRL_C) cancel()
    else if (char === "\r" || char === "\n") enter()
    else if (char === "\u007f" || char === "\b") erase(1)
    else if (char === CTRL_U) erase(line.length)
    else if (char >= " ") {
      line.push(char)
      show(char)
    }
  }

  function cancel(): void {
    line = []
    show("^C\r\n")
    flush()
    interrupt()
  }

  function skip(char: string): void {
    sequence += char
    const longer = sequence === ESCAPE || /^.[[O]$/s.test(sequence) || (sequence[1] === "[" && !/[@-~]/.test(char))
    if (!longer) sequence = ""
  }

  function enter(): void {
    const text = line.join("").trim()
    line = []
    show("\r\n")
    flush()
    if (text !== "") submit(text)
  }

  function erase(count: number): void {
    for (const _char of line.splice(Math.max(0, line.length - count))) show("\b \b")
  }

  return {
    type(bytes) {
      for (const char of decoder.decode(bytes, { stream: true })) key(char)
      flush()
    },
  }
}
