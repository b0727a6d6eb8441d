/** The line that a person types while the product speaks with the agent, sent on Enter. A paste stays together. */
export interface LineEditor {
  type(bytes: Uint8Array): void
}

export interface LineEditorDeps {
  /** Shows what is typed, as a terminal would. */
  echo: (text: string) => void
  /** Enter was pressed on a line that isn't empty. */
  submit: (line: string) => void
  /** Ctrl-C was pressed. */
  interrupt: () => void
}

const CTRL_C = "\u0003"
const CTRL_U = "\u0015"
const DELETE = "\u007f"
const ESCAPE = "\u001b"
const PASTE_BEGINS = `${ESCAPE}[200~`
const PASTE_ENDS = `${ESCAPE}[201~`

/** Asks a terminal to say where a paste begins and ends, and to do so no more. */
export const BRACKETED_PASTE_ON = `${ESCAPE}[?2004h`
export const BRACKETED_PASTE_OFF = `${ESCAPE}[?2004l`

/** The bytes that a terminal sends for a text that is pasted. */
export function bracketPaste(text: string): string {
  return `${PASTE_BEGINS}${text.replaceAll(ESCAPE, "")}${PASTE_ENDS}`
}

export function createLineEditor({ echo, submit, interrupt }: LineEditorDeps): LineEditor {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let line: string[] = []
  /** Inside a sequence of a key that has no character: it is left out. */
  let sequence = ""
  let pasting = false
  /** Inside a paste: the one before. */
  let last = ""
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
    else if (pasting) paste(char)
    else if (char === CTRL_C) cancel()
    else if (char === "\r" || char === "\n") enter()
    else if (char === DELETE || char === "\b") erase(1)
    else if (char === CTRL_U) erase(line.length)
    else if (char >= " ") {
      line.push(char)
      show(char)
    }
  }

  /** Its keys do nothing, but Ctrl-C: a paste may never come to its end. */
  function paste(char: string): void {
    if (char === CTRL_C) {
      pasting = false
      drop()
    } else if (char === "\r" || (char === "\n" && last !== "\r")) {
      line.push("\n")
      show("\r\n")
    } else if ((char >= " " && char !== DELETE) || char === "\t") {
      line.push(char)
      show(char)
    }
    last = char
  }

  function drop(): void {
    line = []
    show("^C\r\n")
    flush()
  }

  function cancel(): void {
    drop()
    interrupt()
  }

  function skip(char: string): void {
    sequence += char
    const longer = sequence === ESCAPE || /^.[[O]$/s.test(sequence) || (sequence[1] === "[" && !/[@-~]/.test(char))
    if (longer) return
    if (sequence === PASTE_BEGINS || sequence === PASTE_ENDS) {
      pasting = sequence === PASTE_BEGINS
      last = ""
    }
    sequence = ""
  }

  function enter(): void {
    const text = line.join("").trim()
    line = []
    show("\r\n")
    flush()
    if (text !== "") submit(text)
  }

  function erase(count: number): void {
    for (let left = count; left > 0 && line.length > 0; left--) {
      if (line.pop() !== "\n") show("\b \b")
      else show(`\u001b[A\u001b[${line.length - line.lastIndexOf("\n")}G`)
    }
  }

  return {
    type(bytes) {
      for (const char of decoder.decode(bytes, { stream: true })) key(char)
      flush()
    },
  }
}
