const long = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
const short = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" })

/** 22 Nov. Days are those of UTC, wherever the reader is. */
export function chartDay(day: string): string {
  return short.format(new Date(day))
}

/** 22 Nov 2026 */
export function longDay(day: string): string {
  return long.format(new Date(day))
}
