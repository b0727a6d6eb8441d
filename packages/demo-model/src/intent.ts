import { nameIn } from "./name.ts"
import type { Kind, Language, Project } from "./project.ts"
import { listTopics, ownTopics, recipes, type TopicId } from "./topics/registry.ts"

export interface Intent {
  project: Project
  /** A programming language that the prompt asks for and the demo does not write. */
  unsupported?: string
}

/** The kind of project that a prompt asks for, by its words alone: whichever comes first wins. Anything at all yields a project. */
export function readIntent(prompt: string): Intent {
  const text = prompt.slice(0, maxLength)
  const wanted = firstOf(text, kindWords)
  const topic = topicOf(text, wanted)
  const recipe = recipes[topic]
  const kind = recipe.only ?? wanted ?? (/\bapp(lication)?\b/i.test(text) ? "page" : recipe.kind)
  const language = firstOf(text, languageWords)
  const name = nameIn(text.replace(otherLanguages, " ")) || recipe.title
  const project = { topic, kind, language: language ?? "typescript", name }
  const unsupported = language ? undefined : text.match(otherLanguages)?.[0]
  return unsupported ? { project, unsupported } : { project }
}

/** Long enough for any description, and short enough that no pattern here takes long on it. */
const maxLength = 4000

const kindWords = {
  server: /\b(servers?|apis?|rest|back-?end|https?|endpoints?|(micro-?)?services?|webhooks?)\b(?!:\/\/)/i,
  cli: /\b(cli|command[- ]?line|terminal|console|shell|scripts?)\b/i,
  library: /\b(librar(y|ies)|packages?|modules?|sdk|functions?|class|data structure)\b/i,
  page: /\b(web ?pages?|pages?|web ?sites?|sites?|(?<!\bto )html|landing|portfolio|front-?end|web ?app|browser)\b/i,
} satisfies Record<Kind, RegExp>

const languageWords = {
  typescript: /\btypescript\b|(?<![\w.])\.?ts\b/i,
  javascript: /\b(javascript|vanilla)\b|(?<![\w.])js\b/i,
  python: /\b(python3?|py|flask|django|fastapi)\b/i,
} satisfies Record<Language, RegExp>

const otherLanguages =
  /\b(Rust|Golang|Java|Kotlin|Ruby|PHP|Swift|Elixir|Haskell|Scala|Dart|Zig|Perl|Lua)\b|\b(?<=\bin )Go\b|\bC(\+\+|#)/i

/** A topic of its own first, then a list of some known things, then whatever suits the kind. */
function topicOf(text: string, kind: Kind | undefined): TopicId {
  const fits = (topic: TopicId) => !recipes[topic].only || !kind || recipes[topic].only === kind
  const named = firstOf(text, wordsOf(ownTopics.filter(fits))) ?? firstOf(text, wordsOf(listTopics))
  if (named) return named
  return kind === undefined ? "items" : topicWithoutWords[kind]
}

function wordsOf(topics: TopicId[]): Record<TopicId, RegExp> {
  return Object.fromEntries(topics.map((topic) => [topic, recipes[topic].pattern])) as Record<TopicId, RegExp>
}

const topicWithoutWords = {
  server: "items",
  cli: "slugs",
  library: "slugs",
  page: "landing",
} satisfies Record<Kind, TopicId>

/** The key of the pattern that matches earliest; of two at the same place, the one that stands first. */
function firstOf<Id extends string>(text: string, patterns: Record<Id, RegExp>): Id | undefined {
  const ids = Object.keys(patterns) as Id[]
  const found = ids.map((id) => ({ id, at: text.search(patterns[id]) })).filter(({ at }) => at >= 0)
  return found.sort((a, b) => a.at - b.at)[0]?.id
}
