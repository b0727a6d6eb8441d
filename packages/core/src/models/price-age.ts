/** Age from which a price is marked, because providers change theirs every few months. */
const OLD_AFTER_MS = 90 * 86_400_000

/** Returns true if a price was read so long ago that it may have changed. */
function isOldPrice(asOf: string, now: number): boolean {
  return now - Date.parse(asOf) > OLD_AFTER_MS
}

/** Marks an old price, for example `price of Jun 2025, may have changed`. Returns null for a recent one. */
export function oldPriceText(asOf: string, now: number): string | null {
  return isOldPrice(asOf, now) ? `price of ${MONTH.format(new Date(asOf))}, may have changed` : null
}

const MONTH = new Intl.DateTimeFormat("en", { month: "short", year: "numeric", timeZone: "UTC" })
