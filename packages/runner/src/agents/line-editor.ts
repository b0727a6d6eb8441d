/**
 * Edits the line that a person types while Switchyard controls the agent. Enter submits the line. Pasted text counts as
 * a single line.
 */
export interface LineEditor {
  type(bytes: Uint8Array): void
  /** Redraws the current line in a new terminal. */
  redraw(): void
  /** Clears the line and returns it. */
  take(): string
}

export interface LineEditorDeps {
  /** Echoes typed text to the terminal. */
  echo: (text: string) => void
  /** Called on Enter if the line isn't empty. */
  submit: (line: string) => void
  /** Called on Ctrl-C. */
  interrupt: () => void
}

const CTRL_C = "\u0003"
const CTRL_U = "\u0015"
const DELETE = "\u007f"
const ESCAPE = "\u001b"
const PASTE_BEGINS = `${ESCAPE}[200~`
const PASTE_ENDS = `${ESCAPE}[201~`

/** Prompt in front of each typed line. It separates the line from the agent's output. */
const MARK = "❯ "
const PROMPT = `\r\n${ESCAPE}[36m${MARK}${ESCAPE}[0m`

/**
 * Sequences that turn bracketed paste mode on and off. In this mode, a terminal marks where a paste begins and ends.
 */
export const BRACKETED_PASTE_ON = `${ESCAPE}[?2004h`
export const BRACKETED_PASTE_OFF = `${ESCAPE}[?2004l`

/** Returns the bytes that a terminal sends when text is pasted. */
export function bracketPaste(text: string): string {
  return `${PASTE_BEGINS}${text.replaceAll(ESCAPE, "")}${PASTE_ENDS}`
}

export function createLineEditor({ echo, submit, interrupt }: LineEditorDeps): LineEditor {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let line: string[] = []
  let isMarked = false
  /** Beginning of an unfinished escape sequence. Special keys are recognised by their sequence and ignored. */
  let sequence = ""
  let pasting = false
  /** Previous character in the paste. */
  let last = ""
  /** Text to echo, buffered so that a paste is echoed in one write. */
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
    else if (char >= " ") add(char, char)
  }

  function add(char: string, echoed: string): void {
    if (!isMarked) show(PROMPT)
    isMarked = true
    line.push(char)
    show(echoed)
  }

  /**
   * Adds a pasted character. Ctrl-C still acts as a key, because the marker for the end of the paste may never arrive.
   */
  function paste(char: string): void {
    if (char === CTRL_C) {
      pasting = false
      drop()
    } else if (char === "\r" || (char === "\n" && last !== "\r")) {
      add("\n", "\r\n")
    } else if ((char >= " " && char !== DELETE) || char === "\t") {
      add(char, char)
    }
    last = char
  }

  function drop(): void {
    line = []
    isMarked = false
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
    isMarked = false
    show("\r\n")
    flush()
    if (text !== "") submit(text)
  }

  function erase(count: number): void {
    for (let left = count; left > 0 && line.length > 0; left--) {
      if (line.pop() !== "\n") show("\b \b")
      else show(`\u001b[A\u001b[${line.length - line.lastIndexOf("\n") + (line.includes("\n") ? 0 : MARK.length)}G`)
    }
  }

  return {
    type(bytes) {
      for (const char of decoder.decode(bytes, { stream: true })) key(char)
      flush()
    },
    redraw() {
      isMarked = line.length > 0
      if (isMarked) show(PROMPT + line.join("").replaceAll("\n", "\r\n"))
      flush()
    },
    take() {
      const text = line.join("").trim()
      line = []
      isMarked = false
      return text
    },
  }
}
