import type { QuietHours } from "./schema.ts"

const MINUTE_MS = 60_000
const A_DAY = 24 * 60

/** Returns the time unchanged, or the end of the quiet hours if it is within them. Times are in Unix milliseconds. */
export function afterQuietHours(at: number, hours: QuietHours | null): number {
  if (hours === null) return at
  const from = minutesOf(hours.from)
  const length = (minutesOf(hours.to) - from + A_DAY) % A_DAY
  let time = at
  // Calculate the end again. If clocks are set back, the first result may still be within quiet hours.
  for (let tries = 0; tries < 3; tries++) {
    const since = (minuteOfDay(time, hours.time_zone) - from + A_DAY) % A_DAY
    if (since >= length) return time
    time = Math.floor(time / MINUTE_MS) * MINUTE_MS + (length - since) * MINUTE_MS
  }
  return time
}

function minuteOfDay(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
  return minutesOf(format.format(at))
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number)
  return hours * 60 + minutes
}
