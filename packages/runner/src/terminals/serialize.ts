import type { IBufferCell, Terminal } from "@xterm/headless"

/**
 * Serialises a terminal to output that restores its state in an empty terminal of the same size. Both terminals then
 * draw later output in the same way. The output is only correct between escape sequences. xterm's own serializer loses
 * coloured empty cells, the saved cursor, tab stops, the scroll region, character sets and origin mode. (Hyperlinks
 * become underlined text.) Some of the state has no public API, so this function reads internals of the pinned version.
 * A test with random programs detects changes to these internals.
 */
export function serializeTerminal(terminal: Terminal, scrollback: number): string {
  const { buffers } = internalsOf(terminal)._bufferService
  const normal = paint(terminal, terminal.buffer.normal, { scrollback, explicit: false })
  if (terminal.buffer.active.type === "normal") return normal + remembered(buffers.normal) + restored(terminal)
  const alternate = paint(terminal, terminal.buffer.alternate, { scrollback: 0, explicit: true })
  const beneath = `${tabStops(buffers.normal, terminal.cols)}${remembered(buffers.normal)}${region(terminal, buffers.normal)}`
  // Don't use mode 1049, because it would overwrite the normal screen's saved cursor.
  return `${normal}${beneath}\u001b[?1047h\u001b[H${alternate}${remembered(buffers.alt)}${restored(terminal)}`
}

/**
 * Returns output that draws a screen. Preserves the wrapping of lines, because a later resize must reflow the lines in
 * the same way.
 */
function paint(
  terminal: Terminal,
  buffer: IBuffer,
  { scrollback, explicit }: { scrollback: number; explicit: boolean },
): string {
  const first = Math.max(0, buffer.length - terminal.rows - scrollback)
  let text = ""
  let ranOver = false
  for (let row = first; row < buffer.length; row++) {
    const line = buffer.getLine(row)
    if (!line) continue
    const painted = paintLine(terminal, line, explicit || ranOver)
    ranOver = painted.full && buffer.getLine(row + 1)?.isWrapped === true && startsWithText(buffer.getLine(row + 1))
    const next = ranOver || row === buffer.length - 1 ? "" : "\u001b[0m\r\n"
    text += painted.text + next
  }
  return `${text}\u001b[0m`
}

type IBuffer = Terminal["buffer"]["active"]
type IBufferLine = NonNullable<ReturnType<IBuffer["getLine"]>>

function startsWithText(line: IBufferLine | undefined): boolean {
  return line?.getCell(0)?.getChars() !== ""
}

/** Paints a line. With `explicit`, also writes empty cells, because the row may already have content. */
function paintLine(terminal: Terminal, line: IBufferLine, explicit: boolean): { text: string; full: boolean } {
  const { cols } = terminal
  const { unicodeService } = internalsOf(terminal)
  /** Properties of the character before the cursor. The next character may be joined with it. */
  let preceding = 0
  let text = ""
  let current = ""
  let empty = 0
  const control = (sequence: string) => {
    text += sequence
    preceding = 0
  }
  const skip = () => {
    if (empty > 0) control(`\u001b[${empty}C`)
    empty = 0
  }
  for (let column = 0; column < cols; column++) {
    const cell = line.getCell(column)
    if (!cell || cell.getWidth() === 0) continue
    // An erased cell has only a background. If an empty cell has any other attribute, write it as a space.
    const chars = cell.getChars() || (showsMore(cell) ? " " : "")
    const plain = chars === "" && cell.isAttributeDefault()
    const wanted = style(cell)
    if ((!plain || explicit) && wanted !== current) {
      skip()
      control(wanted)
      current = wanted
    }
    if (chars !== "") {
      skip()
      // Write a control sequence in between: it keeps the emulator from joining the characters of two cells, such as
      // the two halves of a flag.
      if (isJoined(unicodeService.charProperties(chars.codePointAt(0) ?? 0, preceding))) control(wanted)
      text += chars
      for (const char of chars) preceding = unicodeService.charProperties(char.codePointAt(0) ?? 0, preceding)
      continue
    }
    if (!plain || explicit) {
      skip()
      control("\u001b[X")
    }
    empty++
  }
  const last = line.getCell(cols - 1)
  return { text, full: last !== undefined && (last.getWidth() === 0 || last.getChars() !== "") }
}

function showsMore(cell: IBufferCell): boolean {
  return [cell.isInverse(), cell.isUnderline(), cell.isStrikethrough(), cell.isOverline()].some(Boolean)
}

/** Returns output that sets the saved cursor, which a program may restore. */
function remembered({ savedX, savedY, ybase, savedCurAttrData, savedCharset }: Buffer): string {
  return `${place(savedY - ybase, savedX)}${style(savedCurAttrData)}${charset("(", savedCharset)}\u001b7\u001b(B`
}

function restored(terminal: Terminal): string {
  const { _bufferService, coreService, _charsetService, coreMouseService, _inputHandler } = internalsOf(terminal)
  const { buffer } = _bufferService
  const modes = terminal.modes
  const { origin } = coreService.decPrivateModes
  const on = (set: boolean | undefined, sequence: string) => (set ? sequence : "")
  const { charset: used, glevel, _charsets } = _charsetService
  const shift = on(glevel === 1, "\u000e")
  const sets = _charsets.map((set, index) => charset(DESIGNATORS[index] ?? "(", set)).join("") + shift
  const cameBack = used !== _charsets[glevel]
  return [
    tabStops(buffer, terminal.cols),
    region(terminal, buffer),
    on(origin, "\u001b[?6h"),
    // Restoring the cursor changes the active character set, but doesn't change the designated sets.
    on(cameBack, `${sets}\u001b8`),
    cursor(terminal, buffer, origin ? buffer.scrollTop : 0),
    style(_inputHandler._curAttrData),
    on(!cameBack, sets),
    on(modes.insertMode, "\u001b[4h"),
    on(!modes.wraparoundMode, "\u001b[?7l"),
    on(modes.reverseWraparoundMode, "\u001b[?45h"),
    on(modes.applicationCursorKeysMode, "\u001b[?1h"),
    on(modes.applicationKeypadMode, "\u001b="),
    on(modes.bracketedPasteMode, "\u001b[?2004h"),
    on(modes.sendFocusMode, "\u001b[?1004h"),
    MOUSE[coreMouseService.activeProtocol] ?? "",
    ENCODINGS[coreMouseService.activeEncoding] ?? "",
    on(coreService.isCursorHidden, "\u001b[?25l"),
    justWritten(terminal, buffer, origin ? buffer.scrollTop : 0),
  ].join("")
}

/**
 * Writes the character before the cursor last, because a combining mark is joined with the character that was written
 * last.
 */
function justWritten(terminal: Terminal, buffer: Buffer, top: number): string {
  const { _inputHandler, unicodeService } = internalsOf(terminal)
  if (_inputHandler._parser.precedingJoinState === 0) return ""
  const last = before(terminal, buffer)
  if (!last || style(last.cell) !== style(_inputHandler._curAttrData)) return ""
  const chars = last.cell.getChars()
  // In insert mode, the first code point of a character moves the line to the right by the whole character's width. The
  // character is already there, so remove that width first.
  const width = widthOf(unicodeService.charProperties(chars.codePointAt(0) ?? 0, 0))
  const removed = terminal.modes.insertMode ? `\u001b[${width}P` : ""
  return `${place(buffer.y - top, last.column)}${removed}${chars}`
}

/** Returns the character that ends just before the cursor. */
function before(terminal: Terminal, { x, y, ybase }: Buffer): { cell: IBufferCell; column: number } | undefined {
  const line = terminal.buffer.active.getLine(ybase + y)
  const column = line?.getCell(x - 1)?.getWidth() === 0 ? x - 2 : x - 1
  const cell = line?.getCell(column)
  return cell && { cell, column }
}

const DESIGNATORS = ["(", ")", "*", "+"]
const MOUSE: Record<string, string> = {
  X10: "\u001b[?9h",
  VT200: "\u001b[?1000h",
  DRAG: "\u001b[?1002h",
  ANY: "\u001b[?1003h",
}
const ENCODINGS: Record<string, string> = { SGR: "\u001b[?1006h", SGR_PIXELS: "\u001b[?1016h" }

interface Buffer {
  x: number
  y: number
  ybase: number
  savedX: number
  savedY: number
  savedCurAttrData: Attributes
  savedCharset: Charset
  scrollTop: number
  scrollBottom: number
  tabs: Record<number, boolean>
}
type Charset = Record<string, string> | undefined
type Attributes = Pick<
  IBufferCell,
  | "getFgColor"
  | "getBgColor"
  | "getFgColorMode"
  | "getBgColorMode"
  | "isBold"
  | "isDim"
  | "isItalic"
  | "isUnderline"
  | "isBlink"
  | "isInverse"
  | "isInvisible"
  | "isStrikethrough"
  | "isOverline"
>
interface Internals {
  _bufferService: { buffer: Buffer; buffers: { normal: Buffer; alt: Buffer } }
  coreService: { isCursorHidden: boolean; decPrivateModes: { origin: boolean } }
  _charsetService: { glevel: number; charset: Charset; _charsets: Charset[] }
  coreMouseService: { activeProtocol: string; activeEncoding: string }
  unicodeService: { charProperties(codePoint: number, preceding: number): number }
  _inputHandler: { _curAttrData: Attributes; _parser: { precedingJoinState: number } }
}

function internalsOf(terminal: Terminal): Internals {
  return (terminal as unknown as { _core: Internals })._core
}

/** Reads the number of columns from a character's properties. */
const widthOf = (properties: number) => (properties >> 1) & 3

/** True if a character with these properties belongs to the cell of the character before it. */
const isJoined = (properties: number) => (properties & 1) !== 0

/** Sets the scroll region. The normal screen and the alternate screen have separate regions. */
function region({ rows }: Terminal, { scrollTop, scrollBottom }: Buffer): string {
  return scrollTop === 0 && scrollBottom === rows - 1 ? "" : `\u001b[${scrollTop + 1};${scrollBottom + 1}r`
}

function place(row: number, column: number): string {
  return `\u001b[${Math.max(0, row) + 1};${column + 1}H`
}

/**
 * Positions the cursor. If the cursor is past the last column, writes the last character again, which moves the cursor
 * there.
 */
function cursor(terminal: Terminal, buffer: Buffer, top: number): string {
  const { x, y } = buffer
  if (x < terminal.cols) return place(y - top, x)
  const last = before(terminal, buffer)
  return last
    ? `${place(y - top, last.column)}${style(last.cell)}${last.cell.getChars() || " "}`
    : place(y - top, x - 1)
}

function tabStops({ tabs }: Buffer, columns: number): string {
  const set = Array.from({ length: columns }, (_, column) => tabs[column] === true)
  if (set.every((stop, column) => stop === (column % 8 === 0))) return ""
  return `\u001b[3g${set.map((stop, column) => (stop ? `\u001b[${column + 1}G\u001bH` : "")).join("")}`
}

/** Designates a character set. Programs rarely use any sets other than ASCII and line drawing. */
function charset(designator: string, set: Charset): string {
  if (set?.q === "─") return `\u001b${designator}0`
  return set?.["#"] === "£" ? `\u001b${designator}A` : ""
}

function style(attributes: Attributes): string {
  const codes = [
    0,
    ...(attributes.isBold() ? [1] : []),
    ...(attributes.isDim() ? [2] : []),
    ...(attributes.isItalic() ? [3] : []),
    ...(attributes.isUnderline() ? [4] : []),
    ...(attributes.isBlink() ? [5] : []),
    ...(attributes.isInverse() ? [7] : []),
    ...(attributes.isInvisible() ? [8] : []),
    ...(attributes.isStrikethrough() ? [9] : []),
    ...(attributes.isOverline() ? [53] : []),
    ...color(30, attributes.getFgColor(), attributes.getFgColorMode()),
    ...color(40, attributes.getBgColor(), attributes.getBgColorMode()),
  ]
  return `\u001b[${codes.join(";")}m`
}

function color(base: number, value: number, mode: number): number[] {
  if (mode === RGB) return [base + 8, 2, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
  if (mode === PALETTE_256) return [base + 8, 5, value]
  if (mode === PALETTE_16) return [value < 8 ? base + value : base + 60 + value - 8]
  return []
}

const PALETTE_16 = 0x1000000
const PALETTE_256 = 0x2000000
const RGB = 0x3000000
