import type { ColourName } from "./colours.ts"
import type { ElementChange } from "./element-changes.ts"
import type { Locale } from "./locales.ts"
import type { Substitutions } from "./substitute.ts"
import type { TopicId } from "./topics/registry.ts"

export const kinds = ["server", "cli", "library", "page"] as const
export type Kind = (typeof kinds)[number]

export const languages = ["javascript", "typescript"] as const
export type Language = (typeof languages)[number]

/** Everything that a project's files depend on. There is no other state between two model calls. */
export interface Project {
  topic: TopicId
  kind: Kind
  language: Language
  /** From `cleanName`, so it's plain text in code, HTML and Markdown. */
  name: string
  /** Lower-case nouns of a list that has no topic of its own. */
  nouns?: { noun: string; plural: string }
  /** Fields of a list's items. */
  fields: Field[]
  /** Initial items of a list. */
  items: string[]
  /** Subject of a landing page, in plain words. */
  subject?: string
  accent?: ColourName
  background?: ColourName
  /** Language of a page's texts. */
  locale: Locale
  /** Changes to selected elements of the page, in the order of the elements' first change. */
  elements?: ElementChange[]
}

export const fieldTypes = ["text", "number", "date"] as const

export interface Field {
  /** One to three lower-case words, such as "due date". */
  name: string
  type: (typeof fieldTypes)[number]
}

export interface ProjectFile {
  path: string
  /** A sentence that describes the file to people. */
  purpose: string
  content: string
}

/** A topic: how prompts refer to it, and how its projects are made from the files in `recipes/`. */
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
  /** File name of the module, which is in the last of those folders. */
  module: string
  /** One sentence about the module's purpose. */
  purpose: string
  /** Choices of a prompt, besides the name. */
  choices: { fields?: boolean; locale?: boolean }
  /** Default fields of a list's items. */
  fields: string[]
  /** Field that marks a list's item. */
  markField?: string
  /** Changes to shared files, applied before the substitutions. */
  differences?: Substitutions
  /** Replaces the recipe's placeholders with the project's words. */
  substitutions(project: Project): Substitutions
}
