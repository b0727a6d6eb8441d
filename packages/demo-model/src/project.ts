import type { Replacements } from "./fill.ts"
import type { TopicId } from "./topics/registry.ts"

export const kinds = ["server", "cli", "library", "page"] as const
export type Kind = (typeof kinds)[number]

export const languages = ["typescript", "javascript", "python"] as const
export type Language = (typeof languages)[number]

/** All that is needed to write a project again, file by file: nothing is stored between two calls of the model. */
export interface Project {
  topic: TopicId
  kind: Kind
  language: Language
  /** Only ever made by `cleanName`, so it is text, and nothing but text, in code, HTML and Markdown alike. */
  name: string
}

export interface ProjectFile {
  path: string
  /** One sentence for people: what the file is for. */
  purpose: string
  content: string
}

/** One topic: how a prompt names it, and how its projects are made of the files in `recipes/`. */
export interface Recipe {
  title: string
  /** The words of a prompt that mean this topic. */
  pattern: RegExp
  /** The kind to make when the prompt names none. */
  kind: Kind
  /** The only kind there is of it, if there is only one. */
  only?: Kind
  summary: string
  features(kind: Kind): string[]
  /** The folders in which its files are looked for, its own first. */
  folders: string[]
  /** The stem of its module's file, as the last of these folders that has one calls it. */
  module: string
  purposes: { module(language: Language): string; tests: string; command: string }
  /** A recipe that refuses nothing has no test for what it refuses. */
  refusesNothing?: boolean
  /** Lines in which it differs from the recipe below it, in that recipe's own words. */
  differences?: Replacements
  /** The words of the recipe below it, and its own. */
  replacements(language: Language): Replacements
}
