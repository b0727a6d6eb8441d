import { trimWhere } from "../../trim.ts"

/** The signs that end a sentence or a mark-up, where an address ends with them. */
const PUNCTUATION = new Set(".,;:!?*_~")

/** The addresses of pages in a text, each once and in their order, without what ends a sentence behind them. */
export function addressesIn(text: string): string[] {
  const found = text.matchAll(/https?:\/\/[^\s<>"'`()[\]{}|\\^]+/gi)
  const addresses = [...found].map(([address]) => trimWhere(address, (char) => PUNCTUATION.has(char)))
  return [...new Set(addresses)].filter((address) => URL.canParse(address))
}

const MAX_DETECTED = 3
const MAX_PAGES = 5

/** The addresses that are read for a message: those that were chosen, and the first of those in its text that were not left out. */
export function addressesToRead(message: {
  content: string
  urls: readonly string[]
  excluded_urls: readonly string[]
}): string[] {
  const excluded = new Set(message.excluded_urls)
  const detected = addressesIn(message.content).filter((address) => !excluded.has(address))
  return [...new Set([...message.urls, ...detected.slice(0, MAX_DETECTED)])].slice(0, MAX_PAGES)
}
