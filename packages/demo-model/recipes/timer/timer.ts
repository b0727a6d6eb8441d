/** The seconds in a time such as "1h 30m", "90s" or "2:30". A number alone means minutes. */
export function parseTime(time: string): number {
  const clock = time.match(/^\s*(?:(\d+):)?(\d{1,2}):(\d{2})\s*$/)
  const units = time.match(/^\s*(?:(\d+)\s*h)?\s*(?:(\d+)\s*m(?:in)?)?\s*(?:(\d+)\s*s)?\s*$/i)
  const minutes = time.match(/^()\s*(\d+)\s*$/)
  const [, hours, mins, secs] = clock ?? minutes ?? units ?? []
  const seconds = Number(hours ?? 0) * 3600 + Number(mins ?? 0) * 60 + Number(secs ?? 0)
  if (seconds <= 0 || seconds > 86_400) throw new Error('Write a time up to a day, such as "25m" or "1h 30m".')
  return seconds
}

/** 5400 seconds are "1:30:00" on a clock, 65 are "1:05". */
export function toClock(seconds: number): string {
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  const parts = hours > 0 ? [hours, twoDigits(minutes)] : [minutes]
  return [...parts, twoDigits(seconds % 60)].join(":")
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0")
}
