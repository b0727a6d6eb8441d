const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
})
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" })

/** 14:03:09 */
export function clockTime(at: string): string {
  return clock.format(new Date(at))
}

/** 22 Nov 2026, 14:03 */
export function momentOf(at: string): string {
  return moment.format(new Date(at))
}

/** 22 Nov 2026 */
export function dayOf(at: string): string {
  return day.format(new Date(at))
}

/** "just now", "12 min ago", "3 h ago", then the day. */
export function ago(at: string, now = Date.now()): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000)
  if (minutes < 1) return "just now"
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`
  return dayOf(at)
}

/** 420 ms, 4.2 s, 2 min 14 s */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`
}

/** 812 B, 3.1 KB, 2.4 MB */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)} KB`
  return `${(count / 1_000_000).toFixed(1)} MB`
}
