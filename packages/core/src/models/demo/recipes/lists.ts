import { collectionRecipe } from "../collections/recipe.ts"

export const tasks = collectionRecipe({
  title: "Task List",
  words: /\bto-?dos?\b|\bto do (lists?|apps?|api)\b|\b(tasks?|checklists?|kanban|chores?)\b/i,
  kind: "server",
  summary: "A list of tasks to add, complete and remove.",
  noun: "task",
  plural: "tasks",
  field: "title",
  examples: ["Water the plants", "Write to Ada"],
  mark: { verb: "complete", field: "done", kind: "flag" },
})

export const notes = collectionRecipe({
  title: "Notes",
  words: /\b(notes?|notebooks?|journal|diary|memos?)\b/i,
  kind: "server",
  summary: "A place for short notes, with the important ones pinned.",
  noun: "note",
  plural: "notes",
  field: "text",
  examples: ["The key is under the mat", "Ask Grace about the ship"],
  mark: { verb: "pin", field: "pinned", kind: "flag" },
})

export const counters = collectionRecipe({
  title: "Counters",
  words: /\b(counters?|tally|tallies)\b/i,
  kind: "page",
  summary: "Counts anything: give it a name, then add one at a time.",
  noun: "counter",
  plural: "counters",
  field: "name",
  examples: ["Cups of tea", "Laps"],
  mark: { verb: "increment", field: "value", kind: "count" },
})

/** Also what a server becomes whose prompt names no topic that the demo knows. */
export const items = listOf("item", "items", "name", "A blue bicycle", "A box of nails")

export const books = listOf("book", "books", "title", "Middlemarch", "The Periodic Table")
export const recipesToCook = listOf("recipe", "recipes", "title", "Lentil soup", "Plum cake")
export const contacts = listOf("contact", "contacts", "name", "Ada Lovelace", "Grace Hopper")
export const movies = listOf("movie", "movies", "title", "Stalker", "Playtime")
export const expenses = listOf("expense", "expenses", "title", "Train to Lyon, 42.50", "Coffee, 3.20")
export const products = listOf("product", "products", "name", "Teapot", "Desk lamp")
export const habits = listOf("habit", "habits", "name", "Walk after lunch", "Read ten pages")
export const bookmarks = listOf("bookmark", "bookmarks", "title", "A page on tides", "A page on knots")
export const plants = listOf("plant", "plants", "name", "Monstera", "Basil")
export const songs = listOf("song", "songs", "title", "Clair de lune", "Blue in Green")

function listOf(noun: string, plural: string, field: string, one: string, other: string) {
  return collectionRecipe({
    title: `${noun.charAt(0).toUpperCase()}${noun.slice(1)} Store`,
    words: new RegExp(`\\b(${noun}|${plural})\\b`, "i"),
    kind: "server",
    summary: `A list of ${plural} to add, star and remove.`,
    noun,
    plural,
    field,
    examples: [one, other],
    mark: { verb: "star", field: "starred", kind: "flag" },
  })
}
