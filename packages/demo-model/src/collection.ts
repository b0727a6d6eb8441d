import { fieldName, fieldOf } from "./fields.ts"
import { labelOf, listTexts } from "./locales.ts"
import type { Field, Kind, Language, Project, Recipe } from "./project.ts"
import { phrases } from "./prompt-words.ts"
import { capitalised, quoted, type Substitutions } from "./substitute.ts"

/** A list of things with some fields, which can be marked, and removed: `recipes/collection` in other words. */
export interface Collection {
  title: string
  phrases: string[]
  kind: Kind
  summary: string
  /** The names of one and of many, in lower case: both become names in the code. */
  noun: string
  plural: string
  /** The fields of each. The first is always text. */
  fields: string[]
  examples: [one: string, other: string]
  /** The action on one of them, and its field: a flag turns on and off, a count goes up. */
  mark: { verb: string; field: string; counts?: boolean }
  /** A folder with files that differ from the collection's. */
  folder?: string
  /** The feature of a server with routes of its own. */
  routes?: string
  kinds?: Kind[]
  does?: string[]
  differences?: Substitutions
}

export function collectionRecipe(collection: Collection): Recipe {
  const { title, phrases, kind, kinds, summary, noun, plural, fields, examples, mark, folder, routes } = collection
  const features = {
    server: routes ?? "Six routes that take and answer JSON, with clear errors",
    cli: `Keeps its ${plural} in a JSON file between runs`,
    library: "A module to import, without dependencies",
    page: `Keeps its ${plural} in the browser; works with a keyboard, on a phone, in light and dark`,
  } satisfies Record<Kind, string>
  return {
    ...{ title, phrases, kind, kinds, summary, ownFields: fields },
    does: [...does, ...(collection.does ?? []), noun, plural, mark.verb, `${mark.verb}s`, mark.field],
    features: (kind) => [`Adds, lists, ${mark.verb}s and removes ${plural}`, features[kind]],
    folders: [...(folder ? [folder] : []), "collection", "page"],
    module: "samples",
    purposes: {
      module: () => `Keeps the ${plural}.`,
      tests: "Tests for the store.",
      command: "The command: reads its file, does what it is told, writes the file.",
    },
    choices: folder ? {} : { fields: true, locale: true },
    markField: mark.field,
    differences: { ...(mark.counts && counting), ...collection.differences },
    substitutions: (language, project) => ({
      "Sample Store": title,
      "A list of samples to add, flag and remove.": summary,
      "One sample": examples[0],
      "Another sample": examples[1],
      ...inBothCases("sample", noun),
      ...inBothCases("samples", plural),
      caption: fieldName(project.fields[0] ?? fieldOf(fields[0] ?? ""), language),
      ...inBothCases("flag", mark.verb),
      flagged: mark.field,
      [formField]: formFields(project, examples[0]),
      ...(folder ? {} : fieldLines(project, language)),
      ...(folder ? {} : starterLines(project.items)),
      ...listTexts(project.locale, mark.verb),
    }),
  }
}

/** Phrases for what every list does. */
const does = phrases(`
  add, adding, list, lists, listing, show, shows, remove, removing, delete, deleting, mark, marking, keep, keeps,
  keep track, save, saves, saved, store, stores, stored, track, tracks, tracking, manage, manages, managing,
  remember, remembers, write down, local storage, localstorage, what i typed, tracker, manager, organizer,
  organiser, log, keeper, in memory, items, item, entries, entry, list app, check off, tick off, see, view,
  collection
`)

/** A line of code for each field. */
function fieldLines({ fields }: Project, language: Language): Substitutions {
  const python = language === "python"
  const lines = fields.map((field) => `${fieldName(field, language)}: "${field.type}",`)
  const pythonLines = fields.map((field) => `"${fieldName(field, language)}": "${field.type}",`)
  return {
    '  caption: "text",': lines.map((line) => `  ${line}`).join("\n"),
    ...(python && { '    "caption": "text",': pythonLines.map((line) => `    ${line}`).join("\n") }),
  }
}

const formField = `          <div class="field">
            <label for="field-caption">Caption</label>
            <input id="field-caption" type="text" placeholder="One sample" autocomplete="off" />
          </div>`

function formFields({ fields, locale }: Project, example: string): string {
  return fields.map((field, index) => formFieldOf(field, locale, index === 0 ? example : "")).join("\n")
}

/** The page's script is JavaScript, whatever the project's language. */
function formFieldOf(field: Field, locale: Project["locale"], example: string): string {
  const id = `field-${fieldName(field, "javascript")}`
  const type = field.type === "number" ? 'number" step="any' : field.type
  const hint = example === "" || locale !== "en" ? "" : ` placeholder="${example}"`
  return `          <div class="field">
            <label for="${id}">${labelOf(field.words, locale)}</label>
            <input id="${id}" type="${type}"${hint} autocomplete="off" />
          </div>`
}

/** The values that a new list begins with, on one line where that is short enough. */
function starterLines(items: string[]): Substitutions {
  const values = items.map(quoted)
  const listIn = (before: string, indent: string) => {
    const line = `${before}[${values.join(", ")}]`
    return line.length <= 120 ? line : `${before}[\n${values.map((value) => `${indent}${value},\n`).join("")}]`
  }
  return {
    "export const starters = []": listIn("export const starters = ", "  "),
    "export const starters: string[] = []": listIn("export const starters: string[] = ", "  "),
    "STARTERS = []": listIn("STARTERS = ", "    "),
  }
}

function inBothCases(word: string, own: string): Substitutions {
  return { [word]: own, [capitalised(word)]: capitalised(own) }
}

/** A count instead of a flag. */
const counting: Substitutions = {
  "flagged: boolean": "flagged: number",
  "flagged: false": "flagged: 0",
  "flagged: true": "flagged: 1",
  "Turns `flagged` on, and off again the next time.": "Adds one to `flagged`.",
  "sample.flagged = !sample.flagged": "sample.flagged += 1",
  "flagged, true)": "flagged, 1)",
  "flagged, false)": "flagged, 0)",
  'sample.flagged ? "[x]" : "[ ]"': "String(sample.flagged)",
  'mark.setAttribute("aria-pressed", String(sample.flagged))': `mark.textContent = \`Flag · \${sample.flagged}\`
    mark.setAttribute("aria-label", \`Flag \${describe(sample)}, now \${sample.flagged}\`)`,
  '"flagged": False': '"flagged": 0',
  "Turns ``flagged`` on, and off again the next time.": "Adds one to ``flagged``.",
  'sample["flagged"] = not sample["flagged"]': 'sample["flagged"] += 1',
  '"flagged"], True)': '"flagged"], 1)',
  '"flagged"], False)': '"flagged"], 0)',
  "'[x]' if sample['flagged'] else '[ ]'": "sample['flagged']",
}
