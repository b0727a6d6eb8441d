import { trimWhere } from "../../text/trim.ts"

/** Characters after an address that belong to the sentence or the markup. */
const PUNCTUATION = new Set(".,;:!?*_~")

/** Returns the distinct page addresses in a text, in order, without trailing punctuation. */
export function addressesIn(text: string): string[] {
  const found = text.matchAll(/https?:\/\/[^\s<>"'`()[\]{}|\\^]+/gi)
  const addresses = [...found].map(([address]) => trimWhere(address, (char) => PUNCTUATION.has(char)))
  return [...new Set(addresses)].filter((address) => URL.canParse(address))
}

const MAX_DETECTED = 3
const MAX_PAGES = 5

/**
 * Returns the addresses to read for a message: the chosen ones, then the first ones in its text that are not excluded.
 */
export function addressesToRead(message: {
  content: string
  urls: readonly string[]
  excluded_urls: readonly string[]
}): string[] {
  const excluded = new Set(message.excluded_urls)
  const detected = addressesIn(message.content).filter((address) => !excluded.has(address))
  return [...new Set([...message.urls, ...detected.slice(0, MAX_DETECTED)])].slice(0, MAX_PAGES)
}
