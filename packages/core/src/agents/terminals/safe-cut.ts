type State = "ground" | "escape" | "control" | "string" | "string_escape"

const ESC = 0x1b
const BEL = 0x07
const CAN = 0x18
const SUB = 0x1a

/**
 * Tracks the positions in a terminal's output that are neither inside an escape sequence nor inside a character. Output
 * may only be cut at such positions, so that each part can be drawn on its own. The states are those of Paul Williams'
 * VT parser; "ground" means outside any sequence.
 */
export function createSequenceTracker() {
  let state: State = "ground"
  /** Number of bytes still missing from the current UTF-8 character, and the bits of its code point so far. */
  let missing = 0
  let point = 0
  let read = 0
  let lastCut = 0

  /** Processes more bytes. Returns the total number of bytes before the last safe position. */
  function feed(bytes: Uint8Array): number {
    for (const byte of bytes) {
      read++
      if (missing > 0 && (byte & 0xc0) === 0x80) {
        point = (point << 6) | (byte & 0x3f)
        missing--
        if (missing > 0) continue
        state = afterC1(state, point)
      } else {
        missing = byte >= 0xc2 && byte < 0xf5 ? lengthOf(byte) - 1 : 0
        point = missing > 0 ? byte & (0x3f >> missing) : byte
        if (missing > 0) continue
        if (byte < 0x80) state = afterByte(state, byte)
      }
      if (state === "ground") lastCut = read
    }
    return lastCut
  }

  return { feed }
}

function lengthOf(lead: number): number {
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}

function afterByte(state: State, byte: number): State {
  if (byte === CAN || byte === SUB) return "ground"
  if (byte === ESC) return state === "string" ? "string_escape" : "escape"
  switch (state) {
    case "ground":
      return "ground"
    case "string":
      return byte === BEL ? "ground" : "string"
    case "string_escape":
      return byte === 0x5c ? "ground" : afterEscape(byte)
    case "escape":
      return afterEscape(byte)
    case "control":
      return byte >= 0x40 && byte < 0x7f ? "ground" : "control"
  }
}

function afterEscape(byte: number): State {
  // CSI comes first, then the string types DCS, SOS, OSC, PM and APC. Other sequences may have intermediate bytes
  // before their final byte.
  if (byte === 0x5b) return "control"
  if (byte === 0x50 || byte === 0x58 || byte === 0x5d || byte === 0x5e || byte === 0x5f) return "string"
  return byte >= 0x30 && byte < 0x7f ? "ground" : "escape"
}

/** Processes a C1 control character, which takes two bytes in UTF-8. */
function afterC1(state: State, point: number): State {
  if (point === 0x9b) return "control"
  if (point === 0x90 || point === 0x98 || point === 0x9d || point === 0x9e || point === 0x9f) return "string"
  if (point === 0x9c) return "ground"
  return point >= 0x80 && point < 0xa0 ? "ground" : state
}
