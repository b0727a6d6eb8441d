import type { ModelError } from "@switchyard/core/models/errors"
import { colourNames, colourPhrases } from "./colours.ts"
import { faultOf, fieldOf, takeFields, union } from "./fields.ts"
import { nounsOf } from "./list-nouns.ts"
import { localePhrases, translatedTitle } from "./locales.ts"
import type { Kind, Project, Recipe } from "./project.ts"
import { cleanName, takeName, titleOf } from "./project-name.ts"
import { promptWords, type PromptWords } from "./prompt-words.ts"
import { beyondDemo, beyondPart } from "./refusal.ts"
import { recipeOf, recipes, type TopicId, topics } from "./topics/registry.ts"
import { withoutTypos } from "./typos.ts"
import { everywhere, filler, kindPhrases, languagePhrases, onPages } from "./vocabulary.ts"

export type Intent = { project: Project; refused?: undefined } | { project?: undefined; refused: ModelError }

/** Nobody who writes more than that means one of the demo's small things. */
const maxLength = 1500

/** The beginning of a prompt that is about something that there is already. */
const followUp =
  /^\s*(?:please |could you |can you |now |then |also ){0,3}(add|also|change|rename|translate|include|set|switch|use|call|turn|replace|make (it|the|this))\b/i

const topicPhrases = Object.fromEntries(topics.map((topic) => [topic, recipes[topic].phrases])) as Record<
  TopicId,
  string[]
>

/** The words that say what to build, which are worth reading where they are misspelt. */
const subjectWords: ReadonlySet<string> = new Set(
  [topicPhrases, kindPhrases, languagePhrases].flatMap((of) =>
    Object.values<readonly string[]>(of).flat().join(" ").split(" "),
  ),
)

/** The new project that a prompt asks for. Every word of it counts: what isn't understood isn't built. */
export function readIntent(prompt: string): Intent {
  if (prompt.length > maxLength || followUp.test(prompt)) return { refused: beyondDemo(prompt) }
  const { name, rest } = takeName(prompt)
  const words = promptWords(withoutTypos(rest, subjectWords))
  const subject = takeSubject(words, /\b(web ?)?site\b/i.test(rest))
  if (!subject) return { refused: beyondDemo(prompt) }

  const recipe = recipeOf(subject)
  const { choices } = recipe
  const kind = subject.kind ?? recipe.kind
  const isPage = kind === "page"
  const language = words.takeFirst(languagePhrases) ?? "javascript"
  const locale = (isPage && choices.locale && words.takeFirst(localePhrases)) || "en"
  const [accent, ground] = isPage ? takeColours(words) : []
  const own = recipe.ownFields.map(fieldOf)
  const asked = choices.fields ? takeFields(words) : []
  const fields = subject.nouns && asked.length > 0 ? asked : union(own, asked)
  const first = fields[0] && { ...fields[0], type: "text" as const }
  words.take([...everywhere, ...(isPage ? onPages : []), ...recipe.does, ...filler])

  const fault = faultOf(fields, recipe.markField)
  const unknown = [...(isOf(recipe, kind) ? [] : [kindNames[kind]]), ...(fault ? [fault] : [])]
  unknown.push(...(subject.odd ? [subject.odd] : []), ...words.left())
  if (unknown.length > 0) return { refused: beyondPart(recipe.title, unknown) }
  const title = subject.subject ? titleOf(subject.subject) : translatedTitle(recipe.title, locale)
  const project: Project = {
    ...{ topic: subject.topic, kind, language, name: name || title, nouns: subject.nouns },
    ...{
      fields: first ? [first, ...fields.slice(1)] : [],
      items: [],
      subject: subject.subject,
      accent,
      ground,
      locale,
    },
  }
  return { project }
}

/** The accent, and the ground beside it. */
export function takeColours(words: PromptWords) {
  const names = words.takeEach(Object.values(colourPhrases).flat())
  return names.map((phrase) => colourNames.find((name) => colourPhrases[name].includes(phrase)))
}

/** Whether there is a recipe's project as that kind. */
export function isOf({ kinds }: Recipe, kind: Kind): boolean {
  return kinds === undefined || kinds.includes(kind)
}

type Subject = Pick<Project, "topic" | "nouns" | "subject"> & { kind: Kind | undefined; odd?: string }

/** The thing to build, and its kind; undefined if the words name nothing known. */
function takeSubject(words: PromptWords, isSite: boolean): Subject | undefined {
  const topic = words.takeFirst(topicPhrases)
  const kind = words.takeFirst(kindPhrases)
  if (topic === "landing") return { topic, kind, ...takePresented(words, ["for", "about", "of"]) }
  if (topic === "items") return { topic, kind, ...takeNouns(words, ["of", "for"]) }
  if (topic) return { topic, kind }
  if (kind === "server") {
    const { nouns } = takeNouns(words, ["for", "of"])
    return nouns && { topic: "items", kind, nouns }
  }
  if (kind !== "page") return undefined
  const presented = takePresented(words, isSite ? ["about", "for"] : ["about"])
  words.take([...filler, ...everywhere, ...onPages])
  return presented.subject || words.left().length === 0 ? { topic: "landing", kind, ...presented } : undefined
}

function takeNouns(words: PromptWords, starts: string[]): Pick<Subject, "nouns" | "odd"> {
  const plurals = words.takeListAfter(starts)
  const nouns = plurals.length === 1 && plurals[0] ? nounsOf(plurals[0]) : undefined
  return nouns || plurals.length === 0 ? { nouns } : { odd: plurals.join(" and ") }
}

/** The subject of a page. An activity, as in “for drawing”, asks for more than a page that says something. */
function takePresented(words: PromptWords, starts: string[]): Pick<Subject, "subject" | "odd"> {
  const subjects = words.takeListAfter(starts)
  const subject = subjects.length > 0 ? subjects.join(" and ") : undefined
  const isPlain = subject === undefined || (cleanName(subject) === subject && !/^\p{L}{2,}ing\b/u.test(subject))
  return isPlain ? { subject } : { odd: subject }
}

const kindNames = {
  server: "a server",
  cli: "a command-line tool",
  library: "a library",
  page: "a web page",
} satisfies Record<Kind, string>
