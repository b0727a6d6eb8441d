import type { Project, Recipe } from "../project.ts"
import { landing } from "./landing.ts"
import { counters, expenses, listOfItems, lists, notes, tasks } from "./lists.ts"
import { capitalsQuiz, quiz, spaceQuiz } from "./quiz.ts"
import { calculator, passwords, textStats, timer } from "./tools.ts"
import { urlShortener } from "./url-shortener.ts"

/** All topics. If two topics share a phrase, the first one wins. */
export const recipes = {
  "url-shortener": urlShortener,
  tasks,
  notes,
  "text-stats": textStats,
  counters,
  expenses,
  calculator,
  passwords,
  timer,
  "capitals-quiz": capitalsQuiz,
  "space-quiz": spaceQuiz,
  quiz,
  landing,
  ...lists,
  items: listOfItems(),
} satisfies Record<string, Recipe>

export type TopicId = keyof typeof recipes

export const topics = Object.keys(recipes) as TopicId[]

export function recipeOf({ topic, nouns }: Pick<Project, "topic" | "nouns">): Recipe {
  return nouns ? listOfItems(nouns) : recipes[topic]
}
