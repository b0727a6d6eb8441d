import type { ModelError } from "@switchyard/core/models/errors"
import { colourNames, colourPhrases } from "./colours.ts"
import { faultOf, fieldOf, takeFields, union } from "./fields.ts"
import { nounsOf, pluralOf } from "./list-nouns.ts"
import { fillerIn, localeOf, localePhrases, translatedTitle } from "./locales.ts"
import type { Kind, Project } from "./project.ts"
import { cleanName, takeName, titleOf } from "./project-name.ts"
import { type PromptWords, phrases, promptWords } from "./prompt-words.ts"
import { beyondDemo, beyondPart } from "./refusal.ts"
import { containers } from "./topics/lists.ts"
import { recipeOf, recipes, type TopicId, topics } from "./topics/registry.ts"
import { withoutTypos } from "./typos.ts"
import { everywhere, filler, kindPhrases, languagePhrases, onPages } from "./vocabulary.ts"

export type Intent = { project: Project; refused?: undefined } | { project?: undefined; refused: ModelError }

/** Longer prompts ask for more than a small app. */
const MAX_PROMPT_CHARS = 1500

/** Start of a prompt that changes an existing project. */
const followUp =
  /^\s*(?:please |could you |can you |now |then |also ){0,3}(add|also|change|rename|translate|include|set|switch|replace|make (it|this))\b/i

const topicPhrases = Object.fromEntries(topics.map((topic) => [topic, recipes[topic].phrases])) as Record<
  TopicId,
  string[]
>

/** Words that say what to build, in which typos are corrected. */
const subjectWords: ReadonlySet<string> = new Set(
  [topicPhrases, kindPhrases, languagePhrases].flatMap((of) =>
    Object.values<readonly string[]>(of).flat().join(" ").split(" "),
  ),
)

/** Returns the new project described by a prompt. Refuses unknown words, because they may ask for something. */
export function readIntent(prompt: string): Intent {
  if (prompt.length > MAX_PROMPT_CHARS || followUp.test(prompt)) return { refused: beyondDemo(prompt) }
  const { name, rest } = takeName(prompt)
  const words = promptWords(withoutTypos(rest, subjectWords))
  const subject = takeSubject(words, /\b(web ?)?site\b/i.test(rest))
  if (!subject) return { refused: beyondDemo(prompt) }

  const recipe = recipeOf(subject)
  const { choices } = recipe
  const kind = subject.kind ?? recipe.kinds[0] ?? "page"
  const isPage = kind === "page"
  const language = words.takeFirst(languagePhrases) ?? "javascript"
  const written = localeOf(rest)
  const locale = isPage && choices.locale ? (words.takeFirst(localePhrases) ?? written) : "en"
  const [accent, background] = isPage ? takeColours(words) : []
  const asked = choices.fields ? takeFields(words) : []
  const own = recipe.fields.map(fieldOf)
  const fields = subject.nouns && asked.length > 0 ? asked : union(own, asked)
  const first = fields[0] && { ...fields[0], type: "text" as const }
  words.take([...(written === "en" ? [] : fillerIn[written]), ...everywhere, ...(isPage ? onPages : [])])
  words.take([...recipe.does, ...filler])

  const fault = faultOf(fields, recipe.markField)
  const unknown = [...(recipe.kinds.includes(kind) ? [] : [kindNames[kind]]), ...(fault ? [fault] : [])]
  unknown.push(...(subject.odd ? [subject.odd] : []), ...words.left())
  if (unknown.length > 0) return { refused: beyondPart(recipe.title, unknown) }
  const title = subject.subject ? titleOf(subject.subject) : translatedTitle(recipe.title, locale)
  const project: Project = {
    ...{ topic: subject.topic, kind, language, name: name || title, nouns: subject.nouns },
    fields: first ? [first, ...fields.slice(1)] : [],
    items: [],
    ...{ subject: subject.subject, accent, background, locale },
  }
  return { project }
}

/** Takes the accent and background colours. */
export function takeColours(words: PromptWords) {
  const names = words.takeEach(Object.values(colourPhrases).flat())
  return names.map((phrase) => colourNames.find((name) => colourPhrases[name].includes(phrase)))
}

type Subject = Pick<Project, "topic" | "nouns" | "subject"> & { kind: Kind | undefined; odd?: string }

/** Takes what to build and its kind. Returns undefined if the words don't name anything known. */
function takeSubject(words: PromptWords, isSite: boolean): Subject | undefined {
  const counted = words.takeBefore(containers, isCountable)
  const topic = counted ? undefined : words.takeFirst(topicPhrases)
  const kind = words.takeFirst(kindPhrases)
  if (topic === "landing") return { topic, kind, ...takePresented(words, ["for", "about", "of", ...FOR]) }
  if (topic && topic !== "items") return { topic, kind }
  const nouns = counted ? nounsOf(pluralOf(counted)) : takeNouns(words, kind, topic)
  if (nouns || topic) return { topic: "items", kind, nouns }
  if (kind !== "page") return undefined
  const presented = takePresented(words, isSite ? ["about", "for", ...FOR] : ["about", ...FOR])
  words.take([...filler, ...everywhere, ...onPages])
  return presented.subject || words.left().length === 0 ? { topic: "landing", kind, ...presented } : undefined
}

/** "for" in other languages. */
const FOR = ["für", "pour", "para"]

/** Words that name things when used before “list”, “log” and similar words. Other words could be adjectives. */
const countable: ReadonlySet<string> = new Set(
  phrases(`
    wish, guest, gift, price, workout, exercise, name, wine, tea, game, pet, car, team, member, client, customer,
    employee, student, order, invoice, event, course, job, city, country, trip, toy, stamp, coin, photo, lesson, word,
    goal, idea, friend, meal, drink, ticket, item, song, album, quote, joke, restaurant, dream, mood, sleep, run, key,
    tool, supplier
  `),
)

const isCountable = (word: string) => countable.has(word)

/** Verbs before a list's things. They need “my” or “our”: “track flights” asks for more than “track my flights”. */
const verbs = phrases(`
  track, keep track of, manage, organise, organize, collect, store, save, log, list, catalogue, catalog, remember
`)
const ownThings = verbs.flatMap((verb) => [`${verb} my`, `${verb} our`])

function takeNouns(words: PromptWords, kind: Kind | undefined, topic: TopicId | undefined): Project["nouns"] {
  const starts = [
    ...(topic || kind === "server" ? ["of", "for"] : []),
    ...(kind === "server" ? verbs : []),
    ...ownThings,
  ]
  const [plural] = words.takeListAfter(starts, ([name = "", ...more]) => more.length === 0 && !!nounsOf(name))
  return plural ? nounsOf(plural) : undefined
}

/** Takes a page's subject. An activity, as in “for drawing”, asks for more than a page, so it is refused. */
function takePresented(words: PromptWords, starts: string[]): Pick<Subject, "subject" | "odd"> {
  const subjects = words.takeListAfter(starts, ([name = ""]) => !/^(it|me|us|them|this|that|you)$/i.test(name))
  const subject = subjects.length > 0 ? subjects.join(" and ").replaceAll("'", "’") : words.takeEach(businesses)[0]
  const isPlain = subject === undefined || (cleanName(subject) === subject && !activity.test(subject))
  return isPlain ? { subject } : { odd: subject }
}

const activity = /^(?!wedding|clothing|spring)\p{L}{2,}ing\b/u

/** Subjects before “website”, as in “bakery website”. */
const businesses = phrases(`
  coffee shop, flower shop, tea house, yoga studio, wedding photographer, bakery, restaurant, café, cafe, bar, hotel,
  salon, barber shop, gym, florist, bookshop, bookstore, photographer, museum, gallery, startup, company, agency,
  dentist, doctor, lawyer, plumber, farm, brewery, winery, charity, band, podcast
`)

const kindNames = {
  server: "a server",
  cli: "a command-line tool",
  library: "a library",
  page: "a web page",
} satisfies Record<Kind, string>
