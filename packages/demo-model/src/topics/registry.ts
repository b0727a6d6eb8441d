import type { Recipe } from "../project.ts"
import { counters, lists, notes, tasks, urlShortener } from "./collections.ts"
import { landing } from "./landing.ts"
import { calculator, converter, ids, markdown, passwords, slugs, textStats, timer } from "./tools.ts"

/** The topics that are more than a list, and the lists with a mark of their own. */
const own = {
  "url-shortener": urlShortener,
  tasks,
  notes,
  "text-stats": textStats,
  counters,
  calculator,
  passwords,
  ids,
  markdown,
  converter,
  timer,
  slugs,
  landing,
} satisfies Record<string, Recipe>

export type TopicId = keyof typeof own | keyof typeof lists

export const recipes: Record<TopicId, Recipe> = { ...own, ...lists }
export const ownTopics = Object.keys(own) as TopicId[]
export const listTopics = Object.keys(lists) as TopicId[]

export function isTopic(id: string): id is TopicId {
  return Object.hasOwn(recipes, id)
}
