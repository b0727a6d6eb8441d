import { trimWhere } from "../../text/trim.ts"

/** Characters after a URL that belong to the sentence or markup around it. */
const PUNCTUATION = new Set(".,;:!?*_~。，、；：！？…")
/**
 * Matches a URL. It ends before a space, bracket or quotation mark, but may contain parentheses, as Wikipedia's URLs
 * do.
 */
const ADDRESS = /https?:\/\/[^\s<>"'`[\]{}|\\^“”‘’„«»（）【】「」『』]+/gi

/** Returns the distinct page URLs in a text, in order, without trailing punctuation. */
export function addressesIn(text: string): string[] {
  const addresses = [...text.matchAll(ADDRESS)].map(([address]) =>
    trimWhere(untilUnbalanced(address), (char) => PUNCTUATION.has(char)),
  )
  return [...new Set(addresses)].filter((address) => URL.canParse(address))
}

/** Cuts a URL before its first unmatched parenthesis, which belongs to the surrounding text. */
function untilUnbalanced(address: string): string {
  const open: number[] = []
  for (let at = 0; at < address.length; at++) {
    if (address[at] === "(") open.push(at)
    if (address[at] === ")" && open.pop() === undefined) return address.slice(0, at)
  }
  return address.slice(0, open[0])
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
