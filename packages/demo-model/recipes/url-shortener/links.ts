export interface Link {
  /** The short code that stands for the URL. */
  id: string
  url: string
  visits: number
  createdAt: string
}

export type Links = ReturnType<typeof createLinks>

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
    add(text: string): Link {
      const url = webAddress(text)
      const known = [...links.values()].find((link) => link.url === url)
      if (known) return known

      const link = { id: freeCode(), url, visits: 0, createdAt: new Date().toISOString() }
      links.set(link.id, link)
      return link
    },

    /** Counts a visit, and returns where the link leads. */
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
    const code = randomCode(6)
    return links.has(code) ? freeCode() : code
  }
}

/** Only web addresses: a short link must never hide a script or a file. */
function webAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new Error("Give a full URL that starts with http:// or https://.")
  }
  return url.href
}

function randomCode(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
}
