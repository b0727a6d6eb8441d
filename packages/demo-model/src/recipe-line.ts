import { cleanName } from "./name.ts"
import { kinds, languages, type Project } from "./project.ts"
import { isTopic } from "./topics/registry.ts"

/**
 * The note that travels from plan to tasks in plain text, for people to read and for the next call to find. A clean name
 * holds no quotes, so nothing in it needs an escape, in JSON or out of it.
 */
export function recipeLine({ topic, kind, language, name }: Project): string {
  return `(demo recipe: ${topic}/${kind}/${language}, named “${name}”)`
}

/** The project that a text's first recipe line describes, checked anew: the text may come from anyone. */
export function readRecipeLine(text: string): Project | undefined {
  const [, topic = "", wantedKind, wantedLanguage, given = ""] =
    text.match(/\(demo recipe: ([a-z-]+)\/([a-z]+)\/([a-z]+), named “([^”]{1,100})”\)/) ?? []
  const kind = kinds.find((known) => known === wantedKind)
  const language = languages.find((known) => known === wantedLanguage)
  const name = cleanName(given)
  if (!isTopic(topic) || !kind || !language || name === "") return undefined
  return { topic, kind, language, name }
}
