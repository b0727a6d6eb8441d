import type { ModelError } from "@switchyard/core/models/errors"
import { colourPhrases, tooColourful } from "./colours.ts"
import { isAboutWhole } from "./element-looks.ts"
import { readElementRequest } from "./element-request.ts"
import { faultOf, fieldOf, takeFields, union } from "./fields.ts"
import { takeColours } from "./intent.ts"
import { localePhrases, translatedTitle } from "./locales.ts"
import type { Project } from "./project.ts"
import { cleanName, itemIn } from "./project-name.ts"
import { type PromptWords, phrases, promptWords } from "./prompt-words.ts"
import { unchanged } from "./refusal.ts"
import type { SelectedElement } from "./selected-elements.ts"
import { takeValue } from "./take-value.ts"
import { recipeOf } from "./topics/registry.ts"
import { withoutTypos } from "./typos.ts"
import { everywhere, filler, onPages } from "./vocabulary.ts"

export type FollowUp = { project: Project; refused?: undefined } | { project?: undefined; refused: ModelError }

/**
 * Returns the changed project. A prompt with selected elements changes those if it can, else the project. As in a first
 * prompt, an unknown word causes a refusal.
 */
export function readFollowUp(prompt: string, project: Project, selected: readonly SelectedElement[] = []): FollowUp {
  const refused = (reason: string): FollowUp => ({ refused: unchanged(reason, project) })
  if (prompt.length > 500) return refused("the prompt is too long")
  const reading = selected.length > 0 && project.kind === "page" && readElementRequest(prompt, selected, project)
  if (reading && reading.fault !== undefined) return refused(reading.fault)
  if (reading) return changedOr(refused, project, { ...project, elements: reading.elements })
  const title = takeValue(prompt, titleLeads)
  const recipe = recipeOf(project)
  const leads = /\badd ["“]/i.test(title.rest) ? [...itemLeads, "add"] : itemLeads
  const item = recipe.choices.fields ? takeValue(title.rest, leads) : { rest: title.rest, value: undefined }
  const words = promptWords(withoutTypos(item.rest, changeWords))
  const [excess] = words.takeEach(tooColourful)
  if (excess) return refused(`“${excess}” doesn't say which colour to use instead`)
  const looks = looksIn(words, project)
  const changed = { ...project, ...looks }
  const { fields, fault } = fieldsIn(words, project)
  if (fault) return refused(`it can't add ${fault}`)

  if (title.value === "") return refused("the new title is missing, as in “rename it to Oak”")
  if (title.value !== undefined) Object.assign(changed, renamed(project, title.value))
  const value = item.value === undefined ? undefined : itemIn(item.value)
  if (item.value !== undefined && value === undefined) return refused(`it can't add “${item.value.slice(0, 80)}”`)
  if (value !== undefined) changed.items = [...project.items, value]
  changed.fields = fields
  words.take([...about, ...filler, ...everywhere, ...(project.kind === "page" ? onPages : []), ...recipe.does])
  const left = words.left()
  if (left.some(isForeign)) return refused("it understands changes only in English")
  if (left.length > 0) return refused(`it doesn't understand “${left.slice(0, 4).join("”, “").slice(0, 200)}”`)
  if (changed.name === "") return refused("a title needs at least one letter or digit")
  const isRecoloured = changed.accent !== project.accent || changed.background !== project.background
  if (selected.length > 0 && isRecoloured && !isAboutWhole(prompt))
    return refused("it can give the selected element only one colour, which the request names, as in “make it green”")
  return changedOr(refused, project, changed)
}

function changedOr(refused: (reason: string) => FollowUp, before: Project, project: Project): FollowUp {
  return JSON.stringify(project) === JSON.stringify(before) ? refused("there is nothing to change") : { project }
}

/** The page's heading shows the new title, even if its text was changed before. */
function renamed({ elements }: Project, title: string): Partial<Project> {
  const changes = elements?.map((change) => {
    const { text, index, ...looks } = change
    return change.tag === "h1" ? looks : change
  })
  return { name: cleanName(title), ...(changes && { elements: changes }) }
}

/** Takes the colours and the language of a page. */
function looksIn(words: PromptWords, project: Project): Partial<Project> {
  if (project.kind !== "page") return {}
  const isGround = words.take(["background", "the background", "paper"])
  const [first, second] = takeColours(words)
  const isDark = words.take(darkness)
  const accent = isGround && !second ? project.accent : (first ?? project.accent)
  const background = isDark
    ? "black"
    : isGround && !second
      ? (first ?? project.background)
      : (second ?? project.background)
  const recipe = recipeOf(project)
  const locale = (recipe.choices.locale && words.takeFirst(localePhrases)) || project.locale
  const isDefault = project.name === translatedTitle(recipe.title, project.locale)
  const name = isDefault ? translatedTitle(recipe.title, locale) : project.name
  return { accent, background, locale, name }
}

/** True for words in another script than the Latin one, and for common words of requests in German, French or Spanish. */
function isForeign(text: string): boolean {
  return /[^\p{Script=Latin}\P{L}]/u.test(text) || promptWords(text).take(foreign)
}

const foreign = phrases(`
  mach, mache, ändere, ändern, lösche, lösch, entferne, schreib, schreibe, größer, kleiner, fett, farbe, das, den,
  rends, rend, mets, met, change le, change la, supprime, enlève, écris, renomme, gras, hazlo, haz, cambia, pon, quita,
  borra, elimina, escribe, más, le, la, el
`)

/** Phrases for a page that is always dark. Other pages follow the system setting. */
const darkness = phrases(`
  it dark mode, it dark, page dark, app dark, site dark, dark theme, dark background, darker background, darker, dark,
  always dark
`)

function fieldsIn(words: PromptWords, project: Project): { fields: Project["fields"]; fault?: string | undefined } {
  const recipe = recipeOf(project)
  if (!recipe.choices.fields || !words.take(["add", "with", "include", "note", "also"]))
    return { fields: project.fields }
  const named = takeFields(words)
  const before = words.takeBefore(["field", "column"])
  const asked = [...named, ...(before ? [fieldOf(before)] : [])]
  const fields = union(project.fields, asked)
  return { fields, fault: faultOf(fields, recipe.markField) }
}

const titleLeads = phrases(`
  rename it to, rename it, rename this to, rename the app to, rename the page to, rename the project to, rename the
  list to, rename the title to, rename to, call it, name it, call the app, call the page, change the title to, change
  the name to, set the title to, set the name to, make the title, change the heading to, the title should be, the name
  should be, change its name to, change its title to, title it, call this, name this, use the title, use the name
`)

const itemLeads = phrases(`
  add a sample item, add the sample item, add an example item, add a sample, add an example, add an item, add the
  item, add a sample entry, add an entry, add the entry, sample item, add a sample task, add the task, add a task, add
  a note, add the note, add a book, add a contact, add an expense
`)

/** Words about changing a project and about its parts. */
const about = phrases(`
  change, turn, set, switch, replace, update, instead, now, translate, translated, texts, text, language, colour,
  color, colours, colors, accent colour, accent color, page, look, site, website, project, list, labels, words,
  everything, add, adds, new, another, field, fields, column, buttons, button, different, rather, must, should, shall,
  be, get, called
`)

/** Words in which typos are corrected. */
const changeWords: ReadonlySet<string> = new Set(
  [
    ...about,
    ...Object.values(colourPhrases).flat(),
    ...Object.values(localePhrases).flat(),
    "rename",
    "background",
  ].flatMap((phrase) => phrase.split(" ")),
)
