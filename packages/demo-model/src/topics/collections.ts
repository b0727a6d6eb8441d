import { collectionRecipe } from "../collection.ts"
import type { Recipe } from "../project.ts"
import { phrases } from "../prompt-words.ts"
import { capitalised } from "../substitute.ts"

export const urlShortener = collectionRecipe({
  title: "URL Shortener",
  phrases: phrases(`
    url shortener, link shortener, url shortening, link shortening, shorten urls, shortens urls, shorten links,
    shortens links, short links, short urls, shorten url, shorten link, tinyurl
  `),
  does: phrases("redirect, redirects, counts visits, counts their visits, count visits, visits, urls, long"),
  kind: "server",
  kinds: ["server", "page", "library"],
  summary: "Turns long URLs into short links, follows them, and counts their visits.",
  noun: "link",
  plural: "links",
  fields: ["url"],
  examples: ["https://example.com/a/long/path", "https://example.org/another"],
  mark: { verb: "visit", field: "visits", counts: true },
  folder: "url-shortener",
  routes: "POST /links makes a short link; GET /<code> redirects and counts the visit",
})

export const tasks = collectionRecipe({
  title: "To-do List",
  phrases: phrases(`
    to do list, todo list, to do app, todo app, to dos, to do, todos, todo, task list, tasks, task manager,
    task tracker, task, checklist, check list, chores, chore list, shopping list, grocery list, packing list
  `),
  does: phrases(
    "done, as done, finish, finished, completed, check, check off, check items off, check them off, cross off, tick, tick off",
  ),
  kind: "page",
  summary: "A list of tasks to add, complete and remove.",
  noun: "task",
  plural: "tasks",
  fields: ["title"],
  examples: ["Water the plants", "Write to Ada"],
  mark: { verb: "complete", field: "done" },
})

export const notes = collectionRecipe({
  title: "Notes",
  phrases: phrases("notes, note, notes app, note taking, note taking app, notebook, journal, diary, memos, memo"),
  does: ["important", "write", "jot down", "taking", "pinned"],
  kind: "page",
  summary: "A place for short notes, with the important ones pinned.",
  noun: "note",
  plural: "notes",
  fields: ["text"],
  examples: ["The key is under the mat", "Ask Grace about the ship"],
  mark: { verb: "pin", field: "pinned" },
})

export const counters = collectionRecipe({
  title: "Counters",
  phrases: ["click counter", "counters", "counter", "tally counter", "tally", "counter app"],
  does: phrases("count, counts, counting, click, clicks, increase, anything"),
  kind: "page",
  summary: "Counts anything: give it a name, then add one at a time.",
  noun: "counter",
  plural: "counters",
  fields: ["name"],
  examples: ["Cups of tea", "Laps"],
  mark: { verb: "increment", field: "value", counts: true },
})

export const expenses = collectionRecipe({
  title: "Expense Tracker",
  phrases: phrases(`
    expense tracker, expenses tracker, expenses, expense, spending tracker, spending, expense list
  `),
  does: phrases("total, sum, adds up, add up, sums up, how much i spend, money, spend"),
  kind: "page",
  summary: "A list of expenses with their amounts, and their total.",
  noun: "expense",
  plural: "expenses",
  fields: ["title", "amount"],
  examples: ["Train to Lyon", "Coffee"],
  mark: { verb: "star", field: "starred" },
  differences: {
    'return list.length === 1 ? "1 sample" : `${list.length} samples`':
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
      "return `Total: ${list.reduce((sum, { amount }) => sum + Number(amount), 0).toFixed(2)}`",
    'test("removes each once", () => {': `test("adds up the amounts", () => {
  const samples = createSamples()
  samples.add({ caption: "One sample", amount: "42.50" })
  samples.add({ caption: "Another sample", amount: 3.2 })
  assert.match(summary(samples.list()), /45\\.70/)
})

test("removes each once", () => {`,
    'return "1 sample" if len(samples) == 1 else f"{len(samples)} samples"':
      "return f\"Total: {sum(float(sample['amount'] or 0) for sample in samples):.2f}\"",
    "    def test_removes_each_once(self):": `    def test_adds_up_the_amounts(self):
        self.samples.add({"caption": "One sample", "amount": "42.50"})
        self.samples.add({"caption": "Another sample", "amount": 3.2})
        self.assertIn("45.70", summary(self.samples.all()))

    def test_removes_each_once(self):`,
  },
})

/** Words for a list of things. */
const containers = phrases(
  "list, tracker, manager, organizer, organiser, collection, catalog, catalogue, box, book, diary, journal, log, shelf",
)

/** Lists of known things, which all work alike. */
export const lists = {
  books: listOf("book", "books", ["title", "author"], "Middlemarch", "The Periodic Table", [
    "reading list",
    "bookshelf",
  ]),
  recipes: listOf("recipe", "recipes", ["title", "ingredients"], "Lentil soup", "Plum cake", ["cookbook", "cooking"]),
  contacts: listOf("contact", "contacts", ["name", "phone", "email"], "Ada Lovelace", "Grace Hopper", ["address book"]),
  movies: listOf("movie", "movies", ["title", "year"], "Stalker", "Playtime", ["films", "film", "watchlist"]),
  products: listOf("product", "products", ["name", "price"], "Teapot", "Desk lamp", []),
  habits: listOf("habit", "habits", ["name"], "Walk after lunch", "Read ten pages", []),
  bookmarks: listOf("bookmark", "bookmarks", ["title", "url"], "A page on tides", "A page on knots", []),
  plants: listOf("plant", "plants", ["name", "species"], "Monstera", "Basil", []),
  songs: listOf("song", "songs", ["title", "artist"], "Clair de lune", "Blue in Green", [
    "playlist",
    "music library",
    "music collection",
  ]),
}

/** A list of things that have no topic. */
export function listOfItems({ noun, plural } = { noun: "item", plural: "items" }): Recipe {
  const also = noun === "item" ? phrases("list, list app, catalog, catalogue, inventory, directory, collection") : []
  return listOf(noun, plural, ["name"], `One ${noun}`, `Another ${noun}`, also)
}

function listOf(noun: string, plural: string, fields: string[], one: string, other: string, also: string[]): Recipe {
  const named = containers.flatMap((container) => [`${noun} ${container}`, `${container} of ${plural}`])
  return collectionRecipe({
    title: capitalised(plural),
    phrases: [...named, noun, plural, ...also],
    kind: "page",
    summary: `A list of ${plural} to add, star and remove.`,
    noun,
    plural,
    fields,
    examples: [one, other],
    mark: { verb: "star", field: "starred" },
  })
}
