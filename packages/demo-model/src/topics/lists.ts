import { collectionRecipe } from "../collection.ts"
import type { Recipe } from "../project.ts"
import { phrases } from "../prompt-words.ts"
import { capitalised } from "../substitute.ts"

export const tasks = collectionRecipe({
  title: "To-do List",
  phrases: phrases(`
    to do list, todo list, to do app, todo app, to dos, to do, todos, todo, task list, tasks, task manager, task
    tracker, task, checklist, check list, checklist app, chores, chore list, shopping list, grocery list, groceries
    list, packing list, bucket list, errands, reminders, reminder app, to do liste, todo liste, aufgabenliste,
    aufgaben, einkaufsliste, checkliste, packliste, liste de tâches, liste de courses, lista de tareas, lista de la
    compra, lista de compras, tareas
  `),
  does: phrases(`
    done, as done, finish, finished, completed, check, check off, check items off, check them off, cross off, tick,
    tick off, tick things off, checkbox, checkboxes, ticking off, off, when done
  `),
  summary: "A list of tasks to add, complete and remove.",
  noun: "task",
  plural: "tasks",
  fields: ["title"],
  examples: ["Water the plants", "Write to Ada"],
  mark: { verb: "complete", field: "done" },
})

export const notes = collectionRecipe({
  title: "Notes",
  phrases: phrases(`
    notes, note, notes app, note taking, note taking app, notebook, notepad, sticky notes, journal, diary, memos,
    memo, write down ideas, write down thoughts, jot down ideas, jot down thoughts, take notes, write notes, notizen,
    notizbuch, application de notes, bloc notes, notas, bloc de notas
  `),
  does: phrases("important, write, jot down, taking, pinned, thoughts, ideas"),
  summary: "A place for short notes, with the important ones pinned.",
  noun: "note",
  plural: "notes",
  fields: ["text"],
  examples: ["The key is under the mat", "Ask Grace about the ship"],
  mark: { verb: "pin", field: "pinned" },
})

export const counters = collectionRecipe({
  title: "Counters",
  phrases: [
    "click counter",
    "counters",
    "counter",
    "tally counter",
    "tally",
    "counter app",
    "zähler",
    "compteur",
    "contador",
  ],
  does: phrases("count, counts, counting, click, clicks, increase, anything"),
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
    expense tracker, expenses tracker, expenses, expense, spending tracker, spending, expense list, budget tracker,
    budget app, budget, money tracker, how much money i spend, how much i spend, ausgaben, haushaltsbuch, dépenses,
    gastos
  `),
  does: phrases("total, sum, adds up, add up, sums up, how much i spend, money, spend"),
  summary: "A list of expenses with their amounts, and their total.",
  noun: "expense",
  plural: "expenses",
  fields: ["title", "amount"],
  examples: ["Train to Lyon", "Coffee"],
  mark: { verb: "star", field: "starred" },
  differences: {
    'return list.length === 1 ? "1 sample" : `${list.length} samples`':
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it's generated code
      "return `Total: ${list.reduce((sum, { amount }) => sum + Number(amount), 0).toFixed(2)}`",
    'test("removes each once", () => {': `test("adds up the amounts", () => {
  const samples = createSamples()
  samples.add({ caption: "One sample", amount: "42.50" })
  samples.add({ caption: "Another sample", amount: 3.2 })
  assert.match(summary(samples.list()), /45\\.70/)
})

test("removes each once", () => {`,
  },
})

/** Words for a list of things. */
export const containers = phrases(`
    list, tracker, manager, organizer, organiser, collection, catalog, catalogue, box, book, diary, journal, log,
    shelf
  `)

/** Lists of well-known things. */
export const lists = {
  books: listOf(
    "book",
    ["title", "author"],
    "Middlemarch",
    "The Periodic Table",
    "reading list, bookshelf, bücherliste, bücher, livres, libros",
  ),
  recipes: listOf("recipe", ["title", "ingredients"], "Lentil soup", "Plum cake", "cookbook, cooking"),
  contacts: listOf(
    "contact",
    ["name", "phone", "email"],
    "Ada Lovelace",
    "Grace Hopper",
    "address book, phone book, phonebook",
  ),
  movies: listOf(
    "movie",
    ["title", "year"],
    "Stalker",
    "Playtime",
    "films, film, watchlist, movie watchlist, list of films",
  ),
  products: listOf("product", ["name", "price"], "Teapot", "Desk lamp"),
  habits: listOf("habit", ["name"], "Walk after lunch", "Read ten pages"),
  bookmarks: listOf("bookmark", ["title", "url"], "A page on tides", "A page on knots"),
  plants: listOf("plant", ["name", "species"], "Monstera", "Basil"),
  songs: listOf(
    "song",
    ["title", "artist"],
    "Clair de lune",
    "Blue in Green",
    "playlist, music library, music collection",
  ),
}

/** A list of things that have no topic of their own. */
export function listOfItems({ noun, plural } = { noun: "item", plural: "items" }): Recipe {
  return listOf(
    noun,
    ["name"],
    `One ${noun}`,
    `Another ${noun}`,
    "list, list app, catalog, catalogue, inventory, directory, collection",
    plural,
  )
}

function listOf(noun: string, fields: string[], one: string, other: string, also = noun, plural = `${noun}s`): Recipe {
  const named = containers.flatMap((container) => [
    `${noun} ${container}`,
    `${container} of ${plural}`,
    `${container} my ${plural}`,
  ])
  return collectionRecipe({
    title: capitalised(plural),
    phrases: [...named, noun, plural, ...phrases(also)],
    summary: `A list of ${plural} to add, star and remove.`,
    ...{ noun, plural, fields },
    examples: [one, other],
    mark: { verb: "star", field: "starred" },
  })
}
