import { demoOffer } from "@switchyard/core/models/demo-offer"
import { ModelError } from "@switchyard/core/models/errors"
import type { Project } from "./project.ts"
import { recipeOf } from "./topics/registry.ts"

/** Creates the error that ends a run before anything is written. */
function refusal(reason: string, isUnchanged = false): ModelError {
  return new ModelError("invalid_request", reason.toWellFormed(), { isBeyondDemo: true, isUnchanged })
}

/** Refuses a prompt that doesn't name a known topic. */
export function beyondDemo(prompt: string): ModelError {
  const asked = shortened(prompt.trim())
  const what = asked === "" ? "an empty prompt" : `“${asked}”`
  return refusal(`The demo can't build ${what}, so nothing was written. ${demoOffer}`)
}

/** Refuses a prompt with unknown words. */
export function beyondPart(title: string, left: string[]): ModelError {
  return refusal(
    `The demo can build “${title}”, but it doesn't understand ${named(left)}, so nothing was written. Leave that out to get the rest. ${demoOffer}`,
  )
}

/** Refuses a follow-up. */
export function unchanged(reason: string, project: Project): ModelError {
  const { fields, locale } = recipeOf(project).choices
  const could = [
    "another title",
    ...(fields ? ["a further field", "a sample item"] : []),
    ...(project.kind === "page" ? ["another colour"] : []),
    ...(locale && project.kind === "page" ? ["texts in English, German, French or Spanish"] : []),
  ]
  const list = new Intl.ListFormat("en", { type: "disjunction" }).format(could)
  return refusal(
    `The demo didn't change anything: ${reason}. It can give “${project.name}” ${list}, for example: “${exampleOf(project)}”.${project.kind === "page" ? ELEMENTS : ""}`,
    true,
  )
}

const ELEMENTS =
  " If you select an element in the preview, it can change the element's text, colour, size, weight and corners, or hide it, for example: “Make it say Welcome”."

function exampleOf({ kind, topic, nouns }: Project): string {
  if (recipeOf({ topic, nouns }).choices.fields) return "Add a due date"
  return kind === "page" ? "Make it teal" : 'Rename it to "Harbour"'
}

/** Refuses to change files from elsewhere, or to build a second project next to the first. */
export function notItsProject(): ModelError {
  return refusal(
    `The demo didn't change anything: it changes only projects that it made itself, and builds new ones only where there are no files yet. To build one, start a new session. ${demoOffer}`,
    true,
  )
}

function named(parts: string[]): string {
  const quoted = parts.slice(0, 4).map((part) => `“${shortened(part)}”`)
  if (parts.length > quoted.length) return `${quoted.join(", ")} and more`
  return new Intl.ListFormat("en").format(quoted)
}

function shortened(text: string): string {
  const clean = text.replace(/\s+/g, " ").toWellFormed()
  return clean.length <= 80 ? clean : `${clean.slice(0, 79).toWellFormed()}…`
}
