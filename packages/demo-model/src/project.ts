import type { ColourName } from "./colours.ts"
import type { Locale } from "./locales.ts"
import type { Substitutions } from "./substitute.ts"
import type { TopicId } from "./topics/registry.ts"

export const kinds = ["server", "cli", "library", "page"] as const
export type Kind = (typeof kinds)[number]

export const languages = ["javascript", "typescript"] as const
export type Language = (typeof languages)[number]

/** Everything that the files of a project depend on. No other state lives between two calls of the model. */
export interface Project {
  topic: TopicId
  kind: Kind
  language: Language
  /** Made by `cleanName`, so it is plain text in code, HTML and Markdown. */
  name: string
  /** Nouns of a list without a topic of its own, in lower-case letters. */
  nouns?: { noun: string; plural: string }
  /** Fields of each item of a list. */
  fields: Field[]
  /** Items in a new list. */
  items: string[]
  /** Subject of a landing page, in plain words. */
  subject?: string
  accent?: ColourName
  background?: ColourName
  /** Language of the texts on a page. */
  locale: Locale
}

export const fieldTypes = ["text", "number", "date"] as const

export interface Field {
  /** One to three lower-case words, such as "due date". */
  name: string
  type: (typeof fieldTypes)[number]
}

export interface ProjectFile {
  path: string
  /** One sentence for people. */
  purpose: string
  content: string
}

/** A topic: how prompts name it, and how the files in `recipes/` become its projects. */
export interface Recipe {
  title: string
  /** Phrases that name the topic. */
  phrases: string[]
  /** Phrases for what its projects do anyway. */
  does: string[]
  /** Kinds of project, the default first. */
  kinds: Kind[]
  summary: string
  features(kind: Kind): string[]
  /** Folders of its files, its own first. */
  folders: string[]
  /** Name of the module's file in the last of those folders. */
  module: string
  /** Purpose of the module, one sentence. */
  purpose: string
  /** Parts that a prompt may choose besides the name. */
  choices: { fields?: boolean; locale?: boolean }
  /** Fields of each item of a list, unless the prompt names others. */
  fields: string[]
  /** Field that marks an item of a list. */
  markField?: string
  /** Changes to the text of shared files, before the substitutions. */
  differences?: Substitutions
  /** The recipe's placeholders, with the project's words. */
  substitutions(project: Project): Substitutions
}
