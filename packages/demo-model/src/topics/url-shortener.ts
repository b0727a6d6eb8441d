import { collectionRecipe } from "../collection.ts"
import type { Kind, Recipe } from "../project.ts"
import { phrases } from "../prompt-words.ts"

const list = collectionRecipe({
  title: "URL Shortener",
  phrases: phrases(`
    url shortener, link shortener, url shortening, link shortening, shorten urls, shortens urls, shorten links,
    shortens links, short links, short urls, short link, short url, shorten url, shorten link, links into short, urls
    into short, shorter links, shorter urls, short link generator, short url generator, tinyurl, bitly, bit ly, link
    shrinker, url kürzer, link kürzer, url verkürzer, raccourcisseur d'url, raccourcisseur de liens, acortador de
    enlaces, acortador de url, acortador de urls
  `),
  does: phrases(`
    clone, clicks, counts clicks, count clicks, turn, turns, ones, redirect, redirects, counts visits, counts their
    visits, count visits, visits, urls, long
  `),
  kinds: ["server", "page", "library"],
  summary: "Turns long URLs into short links, follows them, and counts their visits.",
  noun: "link",
  plural: "links",
  fields: ["url"],
  examples: ["https://example.com/a/long/path", "https://example.org/another"],
  mark: { verb: "visit", field: "visits", counts: true },
  differences: {
    openSamples: "createSamples",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it's generated code
    'document.createElement("span")': 'document.createElement("a")\n    text.href = `#${sample.id}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it's generated code
    "() => samples.flag(sample.id)": "() => location.assign(`#${sample.id}`)",
    "  show()\n}\n\nif": `  show()
  window.addEventListener("hashchange", follow)
  follow()

  /** The address of this page with a code after # is a short link. */
  function follow() {
    const link = samples.flag(location.hash.slice(1))
    if (!link) return
    change(() => {})
    location.replace(link.url)
  }
}

if`,
  },
})

/** A list of links with its own module and server. */
export const urlShortener: Recipe = {
  ...list,
  folders: ["url-shortener", "collection"],
  features: (kind: Kind) =>
    kind === "server"
      ? ["POST /links makes a short link", "GET /<code> redirects and counts the visit"]
      : list.features(kind),
  choices: {},
}
