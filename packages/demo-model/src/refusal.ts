import { demoOffer } from "@switchyard/core/models/demo-offer"
import { ModelError } from "@switchyard/core/models/errors"
import type { Project } from "./project.ts"
import { recipeOf } from "./topics/registry.ts"

/** The end of a run that the demo can't do, in words for the person who asked. Nothing was written by then. */
function refusal(reason: string): ModelError {
  return new ModelError("invalid_request", reason.toWellFormed(), { isBeyondDemo: true })
}

/** A prompt that names nothing that the demo builds. */
export function beyondDemo(prompt: string): ModelError {
  const asked = shortened(prompt.trim())
  const what = asked === "" ? "an empty prompt" : `“${asked}”`
  return refusal(`The demo can't build ${what}, so nothing was written. ${demoOffer}`)
}

/** A prompt of which the demo understands a part. */
export function beyondPart(title: string, left: string[]): ModelError {
  return refusal(
    `The demo can build “${title}”, but it doesn't understand ${named(left)}, so nothing was written. Leave that out to get the rest. ${demoOffer}`,
  )
}

/** A follow-up that leaves a project of the demo as it is. */
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
    `The demo changed nothing: ${reason}. It can give “${project.name}” ${list}, for example: “${exampleOf(project)}”.`,
  )
}

function exampleOf({ kind, topic, nouns }: Project): string {
  if (recipeOf({ topic, nouns }).choices.fields) return "Add a due date"
  return kind === "page" ? "Make it teal" : 'Rename it to "Harbour"'
}

/** A prompt for files that the demo didn't make, or for another project among those that it made. */
export function notItsProject(): ModelError {
  return refusal(
    `The demo changed nothing: it only changes projects that it made itself, and builds new ones where there are no files yet. Start a new session for that. ${demoOffer}`,
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
