import { checkProject } from "@switchyard/core/work/checks/check-project"
import { type Kind, kinds, languages } from "@switchyard/demo-model/project"
import { beforeAll, describe, expect, it } from "vitest"
import { makeProject } from "../../../demo-model/make-project.ts"
import { cases } from "../../../settings.ts"

type Files = ReadonlyMap<string, string>

const TOPICS = [
  "URL shortener",
  "to-do list with a due date and a priority",
  "notes",
  "word counter",
  "calculator",
  "password generator",
  "countdown timer",
  "expenses",
  "list of spaceships",
  "quiz",
  "landing page for a bakery",
]
const WORDS = { server: "web server", cli: "command-line tool", library: "library", page: "web page" } satisfies Record<
  Kind,
  string
>
const SCRIPT = /(?<!\.test|-test)\.[jt]s$/
const PAGE = /\.html$/
const STYLE = /\.css$/
const PACKAGE = /^package\.json$/

/** A fault. In the first file that matches `in`, `by` replaces the last match of `what`. */
interface Seed {
  in: RegExp
  what: RegExp
  by: string
}

/** Single slips, as models and people make them. */
const SEEDS = {
  "an id of the page, one letter less": {
    in: PAGE,
    what: /(<(?:form|ul|ol|output|p|section)\b[^<>]* id="[\w-]+)\w"/,
    by: '$1"',
  },
  "an id of the page, renamed": {
    in: PAGE,
    what: /(<(?:form|ul|ol|output|p|section)\b[^<>]* id=")[\w-]+"/,
    by: '$1the-other"',
  },
  "an id that a script looks up, one letter more": {
    in: SCRIPT,
    what: /\b((?:find|getElementById)\("[\w-]+)"\)/,
    by: '$1s")',
  },
  "a label of no field": { in: PAGE, what: /(<label for="[\w-]+)"/, by: '$1x"' },
  "a lost stylesheet": { in: PAGE, what: /<link rel="stylesheet"[^<>]*>/, by: "" },
  "a lost script": { in: PAGE, what: /<script\b[^<>]*src=[^<>]*><\/script>/, by: "" },
  "another stylesheet": { in: PAGE, what: /(<link rel="stylesheet" href="\w+)/, by: "$1s" },
  "a tag without its end": { in: PAGE, what: /<\/(?:main|form|ul|h1|section)>/, by: "" },
  "a misspelt property": { in: STYLE, what: /\bborder-radius:/, by: "border-raduis:" },
  "another misspelt property": { in: STYLE, what: /\bbackground:/, by: "backgroud:" },
  "a custom property that is set nowhere": { in: STYLE, what: /(var\(--\w+)\)/, by: "$1x)" },
  "a brace without its partner in a stylesheet": { in: STYLE, what: /\}\s*$/, by: "" },
  "addEventListener misspelt": { in: SCRIPT, what: /\.addEventListener\(/, by: ".addEventListner(" },
  "JSON.parse misspelt": { in: SCRIPT, what: /\bJSON\.parse\(/, by: "JSON.prase(" },
  "JSON.stringify misspelt": { in: SCRIPT, what: /\bJSON\.stringify\(/, by: "JSON.stringfy(" },
  "Math misspelt": { in: SCRIPT, what: /\bMath\.(?:max|round|floor)\(/, by: "Math.ruond(" },
  "Object.entries misspelt": { in: SCRIPT, what: /\bObject\.(?:entries|keys|fromEntries)\(/, by: "Object.entires(" },
  "textContent misspelt": { in: SCRIPT, what: /\.textContent\b/, by: ".textContnet" },
  "preventDefault misspelt": { in: SCRIPT, what: /\.preventDefault\(/, by: ".preventDefualt(" },
  "a method of texts misspelt": {
    in: SCRIPT,
    what: /\.(?:toLowerCase|toUpperCase|replaceAll|toISOString)\(/,
    by: ".toLowercase(",
  },
  "a module of Node misspelt": { in: SCRIPT, what: /"node:(?:http|fs|util|url|crypto|process)"/, by: '"node:htpp"' },
  "a name of a module of Node misspelt": {
    in: SCRIPT,
    what: /import \{ ([\w ,]*)\w\w( \} from "node:\w+")/,
    by: "import { $1$2",
  },
  'no "type": "module"': { in: PACKAGE, what: /\s*"type": "module",(?=[\s\S]*">=20)/, by: "" },
  "a script that runs no file": { in: PACKAGE, what: /("start": "node \w+)/, by: "$1s" },
  "a constant that is changed": {
    in: SCRIPT,
    what: /^(\s*)const (\w+) = ([^\n]*[^\n{([,])$(?!\n\s+[.?:])/m,
    by: "$1const $2 = $3\n$1$2 = null",
  },
  "an import of no file": { in: SCRIPT, what: /(from "\.\/\w+)\./, by: "$1x." },
  "an import of no such name": { in: SCRIPT, what: /import \{ (\w+)([^}]* \} from "\.\/)/, by: "import { $1x$2" },
  "a brace without its partner": { in: SCRIPT, what: /\n\}\n/, by: "\n\n" },
  "a name that nothing has": { in: SCRIPT, what: /\bString\(/, by: "Strng(" },
} satisfies Record<string, Seed>

/** Returns the project with the fault, or undefined if no file can have the fault. */
function seeded(files: Files, { in: name, what, by }: Seed): Files | undefined {
  for (const [path, text] of files) {
    const last = name.test(path) ? [...text.matchAll(new RegExp(what, `${what.flags}g`))].at(-1) : undefined
    if (!last) continue
    const changed = text.slice(0, last.index) + text.slice(last.index).replace(what, by)
    if (changed !== text) return new Map(files).set(path, changed)
  }
  return undefined
}

describe("of the faults that are put into the demo model's projects, one at a time,", () => {
  const projects: { prompt: string; files: Files }[] = []

  beforeAll(async () => {
    const prompts = kinds.flatMap((kind) =>
      languages.flatMap((language) =>
        TOPICS.filter((topic) =>
          /quiz|landing/.test(topic) ? kind === "page" : !/URL.* cli$|timer server$/.test(`${topic} ${kind}`),
        ).map((topic) => `a ${topic} as a ${WORDS[kind]} in ${language}`),
      ),
    )
    const every = cases({ usual: 7, deep: 1 })
    for (const prompt of prompts.filter((_, index) => index % every === 0)) {
      const { files } = await makeProject(prompt)
      projects.push({ prompt, files: new Map(files.map(({ path, content }) => [path, content])) })
    }
  })

  it("none is found where there is none", async () => {
    for (const { prompt, files } of projects) expect(await checkProject(files), prompt).toEqual([])
  })

  it("at least 97 of a hundred are", async () => {
    let [put, noticed] = [0, 0]
    const missed: string[] = []
    const rows: string[] = []
    for (const [kind, seed] of Object.entries(SEEDS)) {
      let [ofKind, found] = [0, 0]
      for (const { prompt, files } of projects) {
        const changed = seeded(files, seed)
        if (!changed) continue
        ofKind++
        if ((await checkProject(changed)).length > 0) found++
        else missed.push(`${kind}: ${prompt}`)
      }
      expect(ofKind, `${kind} could be put nowhere`).toBeGreaterThan(0)
      rows.push(`${found} of ${ofKind}: ${kind}`)
      put += ofKind
      noticed += found
    }
    console.log(`${rows.join("\n")}\n${noticed} of ${put} faults in ${projects.length} projects`)
    expect(noticed / put, missed.join("\n")).toBeGreaterThanOrEqual(0.97)
  })
})
