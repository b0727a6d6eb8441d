import { factsInThread } from "../../../files/symbols/in-thread.ts"
import { SLASHES, withoutComments } from "../../../text/comments.ts"
import { parseJson } from "../../../text/parse-json.ts"
import { extensionOf, nameOf } from "../../checks/facts/file-kinds.ts"
import { testCasesIn } from "../../verification/test-cases.ts"
import { isTest } from "../../verification/test-files.ts"
import type { SearchedFile } from "./find-literals.ts"

/** A kind of feature, such as a component, an element or a route, with a function that finds its names in a file. */
export interface Kind {
  words: [one: string, more: string]
  namesIn(path: string, text: string): string[]
}

/** Maximum number of characters of a file to search for names. */
const MAX_CHARS = 400_000
const PAGES = ["html", "htm", "jsx", "tsx", "vue", "svelte", "astro"]
const SCRIPTS = ["js", "mjs", "cjs", "ts", "jsx", "tsx", "html", "htm", "vue", "svelte"]
const STYLES = ["css", "scss", "less"]

/** Kinds of features whose names rarely change. A name that is gone counts as a removed feature. */
export const KINDS: Kind[] = [
  {
    words: ["the component", "the components"],
    namesIn: finder(["jsx", "tsx", "js", "vue", "svelte", "astro"], [/<([A-Z][\w.]{0,60})(?=[\s/>])/g]),
  },
  { words: ["the element", "the elements"], namesIn: finder(["html", "htm"], [/\sid=["']([\w-]{1,60})["']/g]) },
  {
    words: ["the route", "the routes"],
    namesIn: finder(
      ["js", "mjs", "cjs", "ts", "jsx", "tsx", "py", "go", "rb", "php", "vue"],
      [
        /\.(?:get|post|put|patch|delete|all|use|route|HandleFunc|Handle)\(\s?["'`]((?:[A-Z]{3,6} )?\/[^"'`\s]{0,120})["'`]/g,
        /\bpath[:=]\s?\{?["'`](\/[^"'`\s]{0,120})["'`]/g,
        /\b(?:url|path|pathname)\s?={2,3}\s?["'`](\/[^"'`\s]{0,120})["'`]/g,
        /\bcase\s["'`](\/[^"'`\s]{0,120})["'`]\s?:/g,
      ],
    ),
  },
  {
    words: ["the test", "the tests"],
    namesIn: (path, text) => {
      if (!isTest(path)) return []
      return testCasesIn(path, text).flatMap(({ name }) => (name === "" ? [] : [name]))
    },
  },
]

/**
 * Kinds of features whose names may change. A name counts as removed only if the changed files also contain fewer
 * features of this kind.
 */
export const FEWER_KINDS: Kind[] = [
  {
    words: ["the style rule", "the style rules"],
    namesIn: (path, text) => {
      const rules = finder(STYLES, [/(?:^|\})([^{}@;]{1,200})\{/g])(path, withoutComments(text, SLASHES))
      return rules.map((selector) => selector.trim().replaceAll(/\s+/g, " "))
    },
  },
  {
    words: ["the section", "the sections"],
    namesIn: finder(["md", "mdx"], [/^#{1,6} {1,5}(\S[^\n]{0,120})$/gm]),
  },
  {
    words: ["the form field", "the form fields"],
    namesIn: (path, text) => {
      const fields = finder(PAGES, [/<((?:input|select|textarea)\s[^<>]{1,300})>/g])(path, text)
      return fields.flatMap((field) => /\bname=["']([\w-]{1,60})["']/.exec(field)?.[1] ?? [])
    },
  },
  {
    words: ["the option", "the options"],
    namesIn: (path, text) => {
      const options = finder(["py", "js", "mjs", "cjs", "ts", "go", "rs", "rb"], [/["'`](--[a-z][\w-]{1,40})\b/g])(
        path,
        text,
      )
      if (!text.includes("parseArgs")) return options
      const declared = text.matchAll(/\b([\w-]{1,40})["']?: \{ ?type: ?["'](?:boolean|string)["']/g)
      return [...options, ...[...declared].map(([, name]) => `--${name}`)]
    },
  },
  {
    words: ["the script", "the scripts"],
    namesIn: (path, text) => {
      const scripts = nameOf(path) === "package.json" ? Object(Object(parseJson(text)).scripts) : {}
      // Leave out scripts that check the project, because `findTampering` compares them.
      return Object.keys(scripts).filter((name) => !/^(?:pre|post)?(?:build|lint|test)$/.test(name))
    },
  },
]

/**
 * Kinds of features that often share a name, such as the handlers of `click`. Compares the number of features with each
 * name.
 */
export const COUNTED_KINDS: Kind[] = [
  {
    words: ["the handler of", "handlers of"],
    namesIn: (path, text) =>
      finder(SCRIPTS, [/\baddEventListener\(\s{0,20}["'`]([\w:-]{1,40})["'`]/g, /\son([A-Za-z]{3,30})=["'{]/g])(
        path,
        text,
      ).map((name) => name.toLowerCase()),
  },
  {
    words: ["the element", "elements"],
    namesIn: (path, text) =>
      finder(PAGES, [/<(a|button|form|input|select|textarea|table|section|nav|img|video|canvas|dialog)(?=[\s/>])/g])(
        path,
        text,
      ).map((name) => `<${name}>`),
  },
]

function finder(extensions: string[], patterns: RegExp[]): Kind["namesIn"] {
  return (path, text) => {
    if (!extensions.includes(extensionOf(path)) || text.length > MAX_CHARS) return []
    return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name))
  }
}

/** Returns the names that other files can use. */
export async function exportsOf({ path, text }: SearchedFile): Promise<string[]> {
  if (isTest(path)) return []
  const facts = await factsInThread(path, text)
  const isExported =
    EXPORTED[extensionOf(path)] ?? (/^[cm]?[jt]sx?$/.test(extensionOf(path)) ? isModuleExport : undefined)
  if (!facts || !isExported) return []
  const methods = facts.symbols.flatMap(({ name, kind, members }) =>
    kind === "class"
      ? members.flatMap((one) => (one.kind === "method" && /^[A-Za-z]/.test(one.name) ? [`${name}.${one.name}`] : []))
      : [],
  )
  const listed = /^[cm]?[jt]sx?$/.test(extensionOf(path)) ? exportLists(text) : []
  return [...facts.symbols.filter(isExported).map(({ name }) => name), ...listed, ...methods]
}

/** Returns the names in `export { a, b as c }`, `module.exports = { a, b }` and `exports.a = …`. */
function exportLists(text: string): string[] {
  const lists = [...text.matchAll(/\b(?:export|module\.exports =) ?\{([^{}]{0,2000})\}/g)]
  const names = lists.flatMap(([, list = ""]) =>
    list.split(",").map((one) => {
      const name = one.trim().replace(/^.{0,100} as /, "")
      return name.split(/[:\s]/, 1)[0] ?? ""
    }),
  )
  const single = [...text.matchAll(/\bexports\.(\w{1,60}) ?=(?!=)/g)].map(([, name = ""]) => name)
  return [...names, ...single].filter((name) => /^[\w$]+$/.test(name) && name !== "default")
}

type Declared = { name: string; signature: string }

const isModuleExport = ({ signature }: Declared) => /^export\b/.test(signature)
const EXPORTED: Record<string, (symbol: Declared) => boolean> = {
  py: ({ name, signature }) => /^(?:async )?(?:def|class)\b/.test(signature) && !name.startsWith("_"),
  go: ({ name }) => /^\p{Lu}/u.test(name),
  rs: ({ signature }) => /^pub\b/.test(signature),
  java: ({ signature }) => /\bpublic\b/.test(signature),
}

/** Returns the functions that had a body before a change but are empty after it. */
export function emptiedFunctions(before: string, after: string): string[] {
  const were = new Set(emptyFunctions(before))
  return emptyFunctions(after).filter((name) => !were.has(name) && before.includes(name))
}

const EMPTY = [
  /\bfunction ([\w$]{1,60})\([^(){}]{0,200}\) ?\{\s{0,50}\}/g,
  /\b(?:const|let) ([\w$]{1,60}) = (?:async )?\([^(){}]{0,200}\) => \{\s{0,50}\}/g,
  /\bdef (\w{1,60})\([^()]{0,200}\)[^:\n]{0,60}:\s{1,100}(?:pass|\.\.\.)[ \t]*$/gm,
]

function emptyFunctions(text: string): string[] {
  return EMPTY.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name))
}
