// This module is also loaded by browsers, so it must not import anything.

/** Formats a duration, such as 420 ms, 4.2 s or 2 min 14 s. */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : formatSeconds(ms)
}

/** Formats an elapsed time for live display, such as 0.4 s, 4.2 s or 2 min 14 s. */
export function formatSeconds(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`
}

/** Formats a size, such as 812 B, 3.1 KB or 2.4 MB. */
export function formatBytes(size: number): string {
  if (size < 1000) return `${size} B`
  if (size < 1_000_000) return `${(size / 1000).toFixed(1)} KB`
  return `${(size / 1_000_000).toFixed(1)} MB`
}

/** Formats a count, such as 1 file, 3 files or 2,000 files. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`
}
