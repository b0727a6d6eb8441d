import { pluralOf } from "./list-nouns.ts"
import type { Field } from "./project.ts"
import { camelCased } from "./project-name.ts"
import { type PromptWords, phrases } from "./prompt-words.ts"

/** Fields that are recognised in a prompt even without the word “field”. */
const known = {
  number: phrases(`
    price, amount, quantity, count, rating, year, pages, age, weight, height, width, length, speed, servings,
    calories, distance, temperature, capacity, cost, score, stock, salary
  `),
  date: phrases("due date, date, deadline, birthday, start date, end date, release date"),
  text: phrases(`
    priority, category, categories, tag, tags, author, title, name, description, note, notes, genre, isbn, artist,
    album, director, email address, email, phone number, phone, postal address, address, url, link, website, status,
    type, size, class, city, country, company, job, brand, model, place, location, language, publisher, ingredients,
    instructions, species, owner, assignee, comment, label, duration, time, serial number, supplier, colour, color
  `),
} satisfies Record<Field["type"], string[]>

const singly = (Object.keys(known) as Field["type"][]).flatMap((type) => known[type].map((name) => ({ name, type })))

/** Fields by singular and plural name, as in “with due dates”. */
const byName = new Map<string, Field>([
  ...singly.map((field) => [pluralOf(field.name), field] as const),
  ...singly.map((field) => [field.name, field] as const),
])

/** More fields would make the form tedious. */
const MAX_FIELDS = 8

/** Takes any names after “fields”, and well-known names anywhere. */
export function takeFields(words: PromptWords): Field[] {
  const listed = words.takeListAfter(listStarts)
  const named = words.takeEach([...byName.keys()])
  return distinct([...listed.map(fieldOf), ...named.flatMap((phrase) => byName.get(phrase) ?? [])])
}

/** Returns what is wrong with the fields, or undefined if they are fine. */
export function faultOf(fields: Field[], markField: string | undefined): string | undefined {
  const odd = fields.find(({ name }) => !plainWords.test(name) || reserved.has(name) || name === markField)
  if (odd) return `a field “${odd.name}”`
  return fields.length > MAX_FIELDS ? `more than ${MAX_FIELDS} fields` : undefined
}

/** Words that form a valid name in code when joined. */
const plainWords = /^[a-zß-öø-ÿ][a-z0-9ß-öø-ÿ ]*$/

/** Names that already have a meaning in a list's code. */
const reserved = new Set(phrases("id, created at, createdat, constructor, to string, value of, done, list"))

const listStarts = phrases(`
  with the fields, with fields, with the following fields, the fields, fields, columns, field called, field named,
  field for, field of, column called, column named, column for, a field with
`)

export function fieldOf(words: string): Field {
  const name = words.toLowerCase().replace(/[\s-]/g, " ")
  return { name, type: byName.get(name)?.type ?? "text" }
}

/** Returns a list's own fields plus the other requested fields. */
export function union(own: Field[], asked: Field[]): Field[] {
  return [...own, ...asked.filter(({ name }) => own.every((field) => field.name !== name))]
}

/** Returns the field's name in code. */
export function fieldName({ name }: Field): string {
  return camelCased(name)
}

function distinct(fields: Field[]): Field[] {
  return fields.filter(({ name }, index) => fields.findIndex((field) => field.name === name) === index)
}
