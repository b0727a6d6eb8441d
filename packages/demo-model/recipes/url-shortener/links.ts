export const fields = { url: "text" }

export interface Link {
  /** The short code that stands for the URL. */
  id: string
  url: string
  visits: number
  createdAt: string
}

/** Letters and digits that are easy to read aloud: no i, l, o or 0. */
const alphabet = "abcdefghjkmnpqrstuvwxyz123456789"

/** Short links in memory. `saved` is what `list()` returned earlier. */
export function createLinks(saved: Link[] = []) {
  const links = new Map(saved.map((link) => [link.id, link]))

  return {
    list(): Link[] {
      return [...links.values()]
    },

    get(id: string): Link | undefined {
      return links.get(id)
    },

    /** The link for a URL; the same URL always gets the same one. */
    add(values: { url?: unknown }): Link {
      const url = webAddress(values.url)
      const known = [...links.values()].find((link) => link.url === url)
      if (known) return known

      const link = { id: freeCode(), url, visits: 0, createdAt: new Date().toISOString() }
      links.set(link.id, link)
      return link
    },

    /** Counts a visit. */
    visit(id: string): Link | undefined {
      const link = links.get(id)
      if (link) link.visits += 1
      return link
    },

    remove(id: string): boolean {
      return links.delete(id)
    },
  }

  function freeCode(): string {
    const bytes = crypto.getRandomValues(new Uint8Array(6))
    const code = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
    return links.has(code) ? freeCode() : code
  }
}

/** A link as one line of text. */
export function describe({ id, url }: Link): string {
  return `${id} → ${url}`
}

/** A summary of the links. */
export function summary(list: Link[]): string {
  return list.length === 0 ? "No links yet." : ""
}

/** Only web addresses: a short link must never hide a script or a file. */
function webAddress(text: unknown): string {
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new Error("Give a full URL that starts with http:// or https://.")
  }
  return url.href
}
