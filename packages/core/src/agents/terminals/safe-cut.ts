/**
 * Knows after which bytes a terminal is between two sequences and between two characters: only there may its output be
 * cut so that what was drawn before and what comes after make sense on their own.
 */
export interface Ground {
  /** Reads on, and tells how many of all bytes so far lie before the last such place. */
  feed(bytes: Uint8Array): number
}

type State = "ground" | "escape" | "control" | "string" | "string_escape"

const ESC = 0x1b
const BEL = 0x07
const CAN = 0x18
const SUB = 0x1a

export function createGround(): Ground {
  let state: State = "ground"
  /** Bytes that are still to come of a character, and what is known of it. */
  let missing = 0
  let point = 0
  let read = 0
  let ground = 0

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
      if (state === "ground") ground = read
    }
    return ground
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
  // CSI, then DCS, SOS, OSC, PM and APC, which are strings; the rest may have intermediate bytes before its last.
  if (byte === 0x5b) return "control"
  if (byte === 0x50 || byte === 0x58 || byte === 0x5d || byte === 0x5e || byte === 0x5f) return "string"
  return byte >= 0x30 && byte < 0x7f ? "ground" : "escape"
}

/** The C1 controls, which come as two bytes of UTF-8. */
function afterC1(state: State, point: number): State {
  if (point === 0x9b) return "control"
  if (point === 0x90 || point === 0x98 || point === 0x9d || point === 0x9e || point === 0x9f) return "string"
  if (point === 0x9c) return "ground"
  return point >= 0x80 && point < 0xa0 ? "ground" : state
}
