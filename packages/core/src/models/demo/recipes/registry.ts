import type { Recipe } from "../project.ts"
import { calculator } from "./calculator.ts"
import { converter } from "./converter.ts"
import { ids } from "./ids.ts"
import { landing } from "./landing.ts"
import * as lists from "./lists.ts"
import { markdown } from "./markdown.ts"
import { passwords } from "./passwords.ts"
import { slugs } from "./slugs.ts"
import { textStats } from "./text-stats.ts"
import { timer } from "./timer.ts"
import { urlShortener } from "./url-shortener.ts"

const own = {
  "url-shortener": urlShortener,
  tasks: lists.tasks,
  notes: lists.notes,
  "text-stats": textStats,
  counters: lists.counters,
  calculator,
  passwords,
  ids,
  markdown,
  converter,
  timer,
  slugs,
  landing,
} satisfies Record<string, Recipe>

/** Lists of known things, which all work alike; `items` is for whatever has no better name. */
const listsOfThings = {
  books: lists.books,
  recipes: lists.recipesToCook,
  contacts: lists.contacts,
  movies: lists.movies,
  expenses: lists.expenses,
  products: lists.products,
  habits: lists.habits,
  bookmarks: lists.bookmarks,
  plants: lists.plants,
  songs: lists.songs,
  items: lists.items,
} satisfies Record<string, Recipe>

export type TopicId = keyof typeof own | keyof typeof listsOfThings

export const recipes: Record<TopicId, Recipe> = { ...own, ...listsOfThings }
export const ownTopics = Object.keys(own) as TopicId[]
export const listTopics = Object.keys(listsOfThings) as TopicId[]

export function isTopic(id: string): id is TopicId {
  return Object.hasOwn(recipes, id)
}
