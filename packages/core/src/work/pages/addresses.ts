import { trimWhere } from "../../text/trim.ts"

/** Characters after a URL that belong to the sentence or markup around it. */
const PUNCTUATION = new Set(".,;:!?*_~")

/** Returns the distinct page URLs in a text, in order, without trailing punctuation. */
export function addressesIn(text: string): string[] {
  const found = text.matchAll(/https?:\/\/[^\s<>"'`()[\]{}|\\^]+/gi)
  const addresses = [...found].map(([address]) => trimWhere(address, (char) => PUNCTUATION.has(char)))
  return [...new Set(addresses)].filter((address) => URL.canParse(address))
}

const MAX_DETECTED = 3
const MAX_PAGES = 5

/** Returns the URLs to read for a message: the given URLs, then the first URLs in its text that aren't excluded. */
export function addressesToRead(message: {
  content: string
  urls: readonly string[]
  excluded_urls: readonly string[]
}): string[] {
  const excluded = new Set(message.excluded_urls)
  const detected = addressesIn(message.content).filter((address) => !excluded.has(address))
  return [...new Set([...message.urls, ...detected.slice(0, MAX_DETECTED)])].slice(0, MAX_PAGES)
}
