const long = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
const short = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" })

/** Formats a day as 22 Nov. Days are in UTC, wherever the reader is. */
export function chartDay(day: string): string {
  return short.format(new Date(day))
}

/** Formats a day as 22 Nov 2026. */
export function longDay(day: string): string {
  return long.format(new Date(day))
}
