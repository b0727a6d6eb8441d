import type { ColourName } from "./colours.ts"
import type { Locale } from "./locales.ts"
import type { Substitutions } from "./substitute.ts"
import type { TopicId } from "./topics/registry.ts"

export const kinds = ["server", "cli", "library", "page"] as const
export type Kind = (typeof kinds)[number]

export const languages = ["javascript", "typescript", "python"] as const
export type Language = (typeof languages)[number]

/** All that is needed to write a project again, file by file: nothing is stored between two calls of the model. */
export interface Project {
  topic: TopicId
  kind: Kind
  language: Language
  /** Only ever made by `cleanName`, so it is text, and nothing but text, in code, HTML and Markdown alike. */
  name: string
  /** The things of a list that has no topic of its own, in lower-case letters. */
  nouns?: { noun: string; plural: string }
  /** All that is noted of each thing of a list; of nothing else there are fields. */
  fields: Field[]
  /** The items that a new list begins with. */
  items: string[]
  /** The subject of a landing page, in plain words. */
  subject?: string
  accent?: ColourName
  ground?: ColourName
  /** The language of the texts on a page. */
  locale: Locale
}

export const fieldTypes = ["text", "number", "date"] as const

export interface Field {
  /** One to three lower-case words of letters and digits, such as "due date". */
  words: string
  type: (typeof fieldTypes)[number]
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
  /** The phrases of a prompt that mean this topic. */
  phrases: string[]
  /** Phrases for what its projects do by themselves: they ask for nothing more. */
  does: string[]
  /** The kind to make when the prompt names none. */
  kind: Kind
  /** The kinds there are of it, if not all. */
  kinds?: Kind[]
  summary: string
  features(kind: Kind): string[]
  /** The folders in which its files are looked for, its own first. */
  folders: string[]
  /** The stem of its module's file, as the last of these folders that has one calls it. */
  module: string
  purposes: { module(language: Language): string; tests: string; command: string }
  /** A recipe that refuses nothing has no test for what it refuses. */
  refusesNothing?: boolean
  /** The parts of it that a person may choose, apart from its name. */
  choices: { fields?: boolean; subject?: boolean; locale?: boolean }
  /** The fields that a list has of each thing by itself. */
  ownFields: string[]
  /** The name of a list's mark, which no field may have. */
  markField?: string
  /** Lines in which it differs from the recipe below it, in that recipe's own words. */
  differences?: Substitutions
  /** The words of the recipe below it, and its own. */
  substitutions(language: Language, project: Project): Substitutions
}
