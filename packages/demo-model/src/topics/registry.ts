import type { Project, Recipe } from "../project.ts"
import { counters, expenses, listOfItems, lists, notes, tasks, urlShortener } from "./collections.ts"
import { landing } from "./landing.ts"
import { capitalsQuiz, quiz, spaceQuiz } from "./quiz.ts"
import { calculator, converter, ids, markdown, passwords, slugs, textStats, timer } from "./tools.ts"

/** Of two topics whose phrases are alike, a prompt means the one that stands first. */
export const recipes = {
  "url-shortener": urlShortener,
  tasks,
  notes,
  "text-stats": textStats,
  counters,
  expenses,
  calculator,
  passwords,
  ids,
  markdown,
  converter,
  timer,
  slugs,
  "capitals-quiz": capitalsQuiz,
  "space-quiz": spaceQuiz,
  quiz,
  landing,
  ...lists,
  items: listOfItems(),
} satisfies Record<string, Recipe>

export type TopicId = keyof typeof recipes

export const topics = Object.keys(recipes) as TopicId[]

/** The recipe of a project. */
export function recipeOf({ topic, nouns }: Pick<Project, "topic" | "items">): Recipe {
  return nouns ? listOfItems(nouns) : recipes[topic]
}
