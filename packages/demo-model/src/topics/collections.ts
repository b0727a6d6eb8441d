import { collectionRecipe } from "../collection.ts"
import { capitalised } from "../fill.ts"

export const urlShortener = collectionRecipe({
  title: "URL Shortener",
  pattern: /\b(urls?|links?)[- ]?short\w*|\bshort(en|ens|ener|ening)?[- ](urls?|links?)\b|\btiny ?urls?\b/i,
  kind: "server",
  summary: "Turns long URLs into short links, follows them, and counts their visits.",
  noun: "link",
  plural: "links",
  field: "url",
  examples: ["https://example.com/a/long/path", "https://example.org/another"],
  mark: { verb: "visit", field: "visits", counts: true },
  folder: "url-shortener",
  routes: "POST /links makes a short link; GET /<code> redirects and counts the visit",
})

export const tasks = collectionRecipe({
  title: "Task List",
  pattern: /\bto-?dos?\b|\bto do (lists?|apps?|api)\b|\b(tasks?|checklists?|kanban|chores?)\b/i,
  kind: "server",
  summary: "A list of tasks to add, complete and remove.",
  noun: "task",
  plural: "tasks",
  field: "title",
  examples: ["Water the plants", "Write to Ada"],
  mark: { verb: "complete", field: "done" },
})

export const notes = collectionRecipe({
  title: "Notes",
  pattern: /\b(notes?|notebooks?|journal|diary|memos?)\b/i,
  kind: "server",
  summary: "A place for short notes, with the important ones pinned.",
  noun: "note",
  plural: "notes",
  field: "text",
  examples: ["The key is under the mat", "Ask Grace about the ship"],
  mark: { verb: "pin", field: "pinned" },
})

export const counters = collectionRecipe({
  title: "Counters",
  pattern: /\b(counters?|tally|tallies)\b/i,
  kind: "page",
  summary: "Counts anything: give it a name, then add one at a time.",
  noun: "counter",
  plural: "counters",
  field: "name",
  examples: ["Cups of tea", "Laps"],
  mark: { verb: "increment", field: "value", counts: true },
})

/** Lists of known things, which all work alike; `items` is for whatever has no better name. */
export const lists = {
  books: listOf("book", "books", "title", "Middlemarch", "The Periodic Table"),
  recipes: listOf("recipe", "recipes", "title", "Lentil soup", "Plum cake"),
  contacts: listOf("contact", "contacts", "name", "Ada Lovelace", "Grace Hopper"),
  movies: listOf("movie", "movies", "title", "Stalker", "Playtime"),
  expenses: listOf("expense", "expenses", "title", "Train to Lyon, 42.50", "Coffee, 3.20"),
  products: listOf("product", "products", "name", "Teapot", "Desk lamp"),
  habits: listOf("habit", "habits", "name", "Walk after lunch", "Read ten pages"),
  bookmarks: listOf("bookmark", "bookmarks", "title", "A page on tides", "A page on knots"),
  plants: listOf("plant", "plants", "name", "Monstera", "Basil"),
  songs: listOf("song", "songs", "title", "Clair de lune", "Blue in Green"),
  items: listOf("item", "items", "name", "A blue bicycle", "A box of nails"),
}

function listOf(noun: string, plural: string, field: string, one: string, other: string) {
  return collectionRecipe({
    title: `${capitalised(noun)} Store`,
    pattern: new RegExp(`\\b(${noun}|${plural})\\b`, "i"),
    kind: "server",
    summary: `A list of ${plural} to add, star and remove.`,
    noun,
    plural,
    field,
    examples: [one, other],
    mark: { verb: "star", field: "starred" },
  })
}
