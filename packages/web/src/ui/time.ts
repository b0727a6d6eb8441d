const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
})
const short = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" })

/** Formats a time as 14:03:09. */
export function clockTime(at: string): string {
  return clock.format(new Date(at))
}

/** Formats a time as 14:03. */
export function shortTime(at: string): string {
  return short.format(new Date(at))
}

/** Formats a time as 22 Nov 2026, 14:03. */
export function momentOf(at: string): string {
  return moment.format(new Date(at))
}

/** Formats a day as 22 Nov 2026. */
export function dayOf(at: string): string {
  return day.format(new Date(at))
}

/** Formats the time since then: "just now", "12 min ago", "3 hr ago", later the day. */
export function ago(at: string, now = Date.now()): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000)
  if (minutes < 1) return "just now"
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} hr ago`
  return dayOf(at)
}
