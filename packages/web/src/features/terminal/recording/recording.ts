/**
 * An event in a recording, with its time in seconds since the beginning: `at` in real time, `shownAt` with idle time
 * shortened.
 */
export type Cue = { at: number; shownAt: number } & (
  | { type: "output"; text: string }
  | { type: "resize"; rows: number; cols: number }
)

export interface Recording {
  rows: number
  cols: number
  /** When it began, in milliseconds since the epoch. */
  beganAtMs: number
  /** In order. */
  cues: Cue[]
  /** Playing time in seconds, with idle time shortened. */
  length: number
}

/** Longer idle times are shortened to this. */
const LONGEST_IDLE_S = 1.5

/** Creates a parser for asciicast, version 2 or 3, that takes chunks cut anywhere. */
export function createCastReader() {
  let rest = ""
  let header: ReturnType<typeof headerOf> | undefined
  let at = 0
  let shownAt = 0
  const cues: Cue[] = []

  function line(text: string): void {
    if (text.trim() === "" || text.startsWith("#")) return
    const read: unknown = JSON.parse(text)
    if (!header) header = headerOf(read)
    else if (Array.isArray(read)) event(header, Number(read[0]), read[1], String(read[2]))
  }

  function event({ relative }: { relative: boolean }, time: number, code: unknown, data: string): void {
    const next = relative ? at + time : Math.max(at, time)
    shownAt += Math.min(next - at, LONGEST_IDLE_S)
    at = next
    if (code === "o") cues.push({ at, shownAt, type: "output", text: data })
    const [cols = 0, rows = 0] = code === "r" ? data.split("x").map(Number) : []
    if (rows > 0 && cols > 0) cues.push({ at, shownAt, type: "resize", rows, cols })
  }

  return {
    push(text: string): void {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      for (const one of lines) line(one)
    },
    end(): Recording {
      line(rest)
      if (!header) throw new Error("This file isn't a recording.")
      const { rows, cols, beganAtMs } = header
      return { rows, cols, beganAtMs, cues, length: shownAt }
    },
  }
}

function headerOf(read: unknown) {
  const { version, width, height, term, timestamp, began_at_ms } = read as Record<string, unknown>
  const size = (version === 3 ? term : { cols: width, rows: height }) as { cols?: unknown; rows?: unknown } | undefined
  const [rows, cols] = [Number(size?.rows), Number(size?.cols)]
  if ((version !== 2 && version !== 3) || !(rows > 0) || !(cols > 0)) throw new Error("This file isn't a recording.")
  const beganAtMs = Number(began_at_ms ?? Number(timestamp ?? 0) * 1000)
  return { relative: version === 3, rows, cols, beganAtMs }
}

/** Returns the number of events up to a moment. */
export function countBy({ cues }: Recording, shownAt: number): number {
  let low = 0
  let high = cues.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((cues[middle]?.shownAt ?? 0) <= shownAt) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the playing time at which a moment of the recording is shown. */
export function shownTime({ cues }: Recording, at: number): number {
  const next = cues.findIndex((cue) => cue.at > at)
  if (next === -1) return cues.at(-1)?.shownAt ?? 0
  const before = cues[next - 1] ?? { at: 0, shownAt: 0 }
  return before.shownAt + Math.min(at - before.at, LONGEST_IDLE_S)
}

/** Formats seconds as 1:05. */
export function timecode(seconds: number): string {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`
}
