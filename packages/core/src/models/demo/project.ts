import type { TopicId } from "./recipes/registry.ts"

export const kinds = ["server", "cli", "library", "page"] as const
export type Kind = (typeof kinds)[number]

export const languages = ["typescript", "javascript", "python"] as const
export type Language = (typeof languages)[number]

/** All that is needed to write a project again, file by file: the demo keeps nothing between two calls. */
export interface Project {
  topic: TopicId
  kind: Kind
  language: Language
  /** Only ever made by `cleanName`. */
  name: string
}

export interface ProjectFile {
  path: string
  /** One sentence for people: what the file is for. */
  purpose: string
  content: string
}

/** How to make one topic's projects. Its files come without the package file and README, which are the same for all. */
export interface Recipe {
  title: string
  /** What a prompt says when it means this topic. */
  words: RegExp
  /** What to make of it when the prompt names no kind. */
  kind: Kind
  /** The only kind there is of it, if there is only one. */
  only?: Kind
  summary: string
  features(project: Project): string[]
  files(project: Project): ProjectFile[]
  /** Markdown for the README: how to use it, below how to start it. */
  usage(project: Project): string
}
