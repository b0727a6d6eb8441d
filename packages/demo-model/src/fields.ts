import type { Field, Language } from "./project.ts"
import { camelCased, snakeCased } from "./project-name.ts"
import { phrases, type PromptWords } from "./prompt-words.ts"

/** Fields that a prompt may name without saying that they are fields. */
const known = {
  number: phrases(`
    price, amount, quantity, count, rating, year, pages, age, weight, height, width, length, speed, servings,
    calories, distance, temperature, capacity, cost, score, stock, salary
  `),
  date: phrases("due date, date, deadline, birthday, start date, end date, release date"),
  text: phrases(`
    priority, category, categories, tag, tags, author, title, name, description, note, notes, genre, isbn, artist, album,
    director, email address, email, phone number, phone, postal address, address, url, link, website, status, type,
    size, class, city, country, company, job, brand, model, place, location, language, publisher, ingredients,
    instructions, species, owner, assignee, comment, label, duration, time, serial number, supplier, colour, color
  `),
} satisfies Record<Field["type"], string[]>

const singly = (Object.keys(known) as Field["type"][]).flatMap((type) => known[type].map((words) => ({ words, type })))

/** The fields by their words, and by those for many of them, as in “with due dates”. */
const byWords = new Map<string, Field>([
  ...singly.map((field) => [pluralOf(field.words), field] as const),
  ...singly.map((field) => [field.words, field] as const),
])

/** More than that is a form that nobody fills in. */
const MAX_FIELDS = 8

/** Takes the fields that the words name: those after “fields”, whatever they are, and well-known ones anywhere. */
export function takeFields(words: PromptWords): Field[] {
  const listed = words.takeListAfter(listStarts)
  const named = words.takeEach([...byWords.keys()])
  return distinct([...listed.map(fieldOf), ...named.flatMap((phrase) => byWords.get(phrase) ?? [])])
}

/** The reason why the fields can't be used; undefined if they can. */
export function faultOf(fields: Field[], markField: string | undefined): string | undefined {
  const odd = fields.find(({ words }) => !plainWords.test(words) || reserved.has(words) || words === markField)
  if (odd) return `a field “${odd.words}”`
  return fields.length > MAX_FIELDS ? `more than ${MAX_FIELDS} fields` : undefined
}

/** Words that are names in both languages once they are joined. */
const plainWords = /^[a-zß-öø-ÿ][a-z0-9ß-öø-ÿ ]*$/

/** Names that the code of every list has for something else. */
const reserved = new Set(phrases("id, created at, createdat, constructor, to string, value of, done, list"))

const listStarts = phrases(`
  with the fields, with fields, with the following fields, the fields, fields, columns, field called, field named,
  field for, field of, column called, column named, column for, a field with
`)

export function fieldOf(words: string): Field {
  const lower = words.toLowerCase().replace(/[\s-]/g, " ")
  return { words: lower, type: byWords.get(lower)?.type ?? "text" }
}

function pluralOf(words: string): string {
  return /[^aeo]y$/.test(words) ? `${words.slice(0, -1)}ies` : `${words}s`
}

/** The fields that there are, and those that are asked for besides. */
export function union(own: Field[], asked: Field[]): Field[] {
  return [...own, ...asked.filter(({ words }) => own.every((field) => field.words !== words))]
}

/** The field's name in code. */
export function fieldName({ words }: Field, language: Language): string {
  return language === "python" ? snakeCased(words) : camelCased(words)
}

function distinct(fields: Field[]): Field[] {
  return fields.filter(({ words }, index) => fields.findIndex((field) => field.words === words) === index)
}
