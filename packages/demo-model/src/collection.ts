import { capitalised, type Replacements } from "./fill.ts"
import type { Kind, Recipe } from "./project.ts"

/** A list of things that are added as one line of text, can be marked, and removed: `recipes/collection` in other words. */
export interface Collection {
  title: string
  pattern: RegExp
  kind: Kind
  summary: string
  /** The names of one and of many, in lower case: both become names in the code. */
  noun: string
  plural: string
  /** The text of each. */
  field: string
  examples: [one: string, other: string]
  /** The action on one of them, and its field: a flag turns on and off, a count goes up. */
  mark: { verb: string; field: string; counts?: boolean }
  /** A folder with files that differ from the collection's. */
  folder?: string
  /** The feature of a server with routes of its own. */
  routes?: string
}

export function collectionRecipe(collection: Collection): Recipe {
  const { title, pattern, kind, summary, noun, plural, field, examples, mark, folder, routes } = collection
  const features = {
    server: routes ?? "Five routes that take and answer JSON, with clear errors",
    cli: `Keeps its ${plural} in a JSON file between runs`,
    library: "A module to import, without dependencies",
    page: `Keeps its ${plural} in the browser; works with a keyboard, on a phone, in light and dark`,
  } satisfies Record<Kind, string>
  return {
    ...{ title, pattern, kind, summary },
    features: (kind) => [`Adds, lists, ${mark.verb}s and removes ${plural}`, features[kind]],
    folders: [...(folder ? [folder] : []), "collection", "page"],
    module: "samples",
    purposes: {
      module: () => `Keeps the ${plural}.`,
      tests: "Tests for the store.",
      command: "The command: reads its file, does what it is told, writes the file.",
    },
    differences: mark.counts ? counting : undefined,
    replacements: () => ({
      "Sample Store": title,
      "A list of samples to add, flag and remove.": summary,
      "One sample": examples[0],
      "Another sample": examples[1],
      ...inBothCases("sample", noun),
      ...inBothCases("samples", plural),
      ...inBothCases("caption", field),
      ...inBothCases("flag", mark.verb),
      flagged: mark.field,
    }),
  }
}

function inBothCases(word: string, own: string): Replacements {
  return { [word]: own, [capitalised(word)]: capitalised(own) }
}

/** A count instead of a flag. */
const counting: Replacements = {
  "flagged: boolean": "flagged: number",
  "flagged: false": "flagged: 0",
  "flagged: true": "flagged: 1",
  "Turns `flagged` on, and off again the next time.": "Adds one to `flagged`.",
  "sample.flagged = !sample.flagged": "sample.flagged += 1",
  "flagged, true)": "flagged, 1)",
  "flagged, false)": "flagged, 0)",
  'sample.flagged ? "[x]" : "[ ]"': "String(sample.flagged)",
  'mark.setAttribute("aria-pressed", String(sample.flagged))': `mark.textContent = \`Flag · \${sample.flagged}\`
    mark.setAttribute("aria-label", \`Flag \${sample.caption}, now \${sample.flagged}\`)`,
  "flagged: bool = False": "flagged: int = 0",
  "Turns ``flagged`` on, and off again the next time.": "Adds one to ``flagged``.",
  "sample.flagged = not sample.flagged": "sample.flagged += 1",
  "flagged, True)": "flagged, 1)",
  "flagged, False)": "flagged, 0)",
  '"flagged"], True)': '"flagged"], 1)',
  "'[x]' if sample.flagged else '[ ]'": "sample.flagged",
}
