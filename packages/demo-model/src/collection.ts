import { fieldName, fieldOf } from "./fields.ts"
import { labelOf, listTexts } from "./locales.ts"
import type { Field, Kind, Project, Recipe } from "./project.ts"
import { phrases } from "./prompt-words.ts"
import { capitalised, quoted, type Substitutions } from "./substitute.ts"

/** A list of items with fields. Items can be marked and removed. Its code is in `recipes/collection`. */
export interface Collection {
  title: string
  phrases: string[]
  does?: string[]
  kinds?: Kind[]
  summary: string
  /** Lower-case names for one item and for several. Both become names in the code. */
  noun: string
  plural: string
  /** Fields of each item. The first is always text. */
  fields: string[]
  examples: [one: string, other: string]
  /** Action on an item, and the field it changes: a flag is toggled, a count is incremented. */
  mark: { verb: string; field: string; counts?: boolean }
  differences?: Substitutions
}

export function collectionRecipe(collection: Collection): Recipe {
  const { title, summary, noun, plural, fields, examples, mark } = collection
  const features = {
    server: "Six routes that take and answer JSON, with clear errors",
    cli: `Keeps its ${plural} in a JSON file between runs`,
    library: "A module to import, without dependencies",
    page: `Keeps its ${plural} in the browser; works with a keyboard, on a phone, in light and dark`,
  } satisfies Record<Kind, string>
  return {
    ...{ title, phrases: collection.phrases, summary, fields },
    kinds: collection.kinds ?? ["page", "server", "cli", "library"],
    does: [...does, ...(collection.does ?? []), noun, plural, mark.verb, `${mark.verb}s`, mark.field],
    features: (kind) => [`Adds, lists, ${mark.verb}s and removes ${plural}`, features[kind]],
    folders: ["collection"],
    module: "samples",
    purpose: `Keeps the ${plural}.`,
    choices: { fields: true, locale: true },
    markField: mark.field,
    differences: { ...(mark.counts && counting), ...collection.differences },
    substitutions: (project) => ({
      "One sample": examples[0],
      "Another sample": examples[1],
      ...inBothCases("sample", noun),
      ...inBothCases("samples", plural),
      caption: fieldName(project.fields[0] ?? fieldOf(fields[0] ?? "")),
      ...inBothCases("flag", mark.verb),
      flagged: mark.field,
      [formField]: formFields(project, examples[0]),
      '  caption: "text",': project.fields.map((field) => `  ${fieldName(field)}: "${field.type}",`).join("\n"),
      ...starterLines(project.items),
      ...listTexts(project.locale, mark.verb),
    }),
  }
}

/** Phrases for what every list does. */
const does = phrases(`
  add, adding, list, lists, listing, show, shows, remove, removing, delete, deleting, mark, marking, keep, keeps, keep
  track, save, saves, saved, store, stores, stored, track, tracks, tracking, manage, manages, managing, remember,
  remembers, write down, local storage, localstorage, what i typed, tracker, manager, organizer, organiser, log,
  keeper, in memory, read, watch, record, records, type in, catalogue, catalog, organise, organize, collect, in the
  browser, even after a reload, items, item, entries, entry, list app, check off, tick off, see, view, collection
`)

const formField = `          <div class="field">
            <label for="field-caption">Caption</label>
            <input id="field-caption" type="text" placeholder="One sample" autocomplete="off" />
          </div>`

function formFields({ fields, locale }: Project, example: string): string {
  return fields.map((field, index) => formFieldOf(field, locale, index === 0 ? example : "")).join("\n")
}

function formFieldOf(field: Field, locale: Project["locale"], example: string): string {
  const id = `field-${fieldName(field)}`
  const type = field.type === "number" ? 'number" step="any' : field.type
  const hint = example === "" || locale !== "en" ? "" : ` placeholder="${example}"`
  return `          <div class="field">
            <label for="${id}">${labelOf(field.name, locale)}</label>
            <input id="${id}" type="${type}"${hint} autocomplete="off" />
          </div>`
}

/** Initial items of a new list, on one line if they fit. */
function starterLines(items: string[]): Substitutions {
  const values = items.map(quoted)
  const withValues = (before: string) => {
    const line = `${before}[${values.join(", ")}]`
    return line.length <= 120 ? line : `${before}[\n${values.map((value) => `  ${value},\n`).join("")}]`
  }
  return {
    "export const starters = []": withValues("export const starters = "),
    "export const starters: string[] = []": withValues("export const starters: string[] = "),
  }
}

function inBothCases(word: string, own: string): Substitutions {
  return { [word]: own, [capitalised(word)]: capitalised(own) }
}

/** Substitutions for a count instead of a flag. */
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
}
