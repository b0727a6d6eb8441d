import type { Language, Project, Recipe } from "./project.ts"
import { recipeFiles } from "./recipe-files.ts"
import { type Substitutions, substitute } from "./substitute.ts"

/** Files of a recipe by name, with the project's words filled in. */
export interface RecipeSource {
  path(name: string): string
  text(name: string): string
  /** The section of `usage.md` for the project's kind. */
  usage(): string
}

export function openRecipe(recipe: Recipe, project: Project): RecipeSource {
  const folders = [...recipe.folders, "server", "page"]
  const names = {
    "Sample Project": project.name,
    "A project that is an example.": recipe.summary,
    ...recipe.substitutions(project),
  }
  const variants = { ...inLanguage[project.language], ...recipe.differences }
  const path = (name: string) => substitute(name, names)
  const withWords = (text: string) => substitute(substitute(text, variants), names)

  return {
    path,
    text(name) {
      const candidates = folders.flatMap((folder) => [`${folder}/${path(name)}`, `${folder}/${name}`])
      const text = candidates.map((path) => recipeFiles[path]).find((text) => text !== undefined)
      if (text === undefined) throw new Error(`None of the folders ${folders.join(", ")} contains ${name}.`)
      return withSortedImports(withWords(text))
    },
    usage() {
      const manuals = folders.map((folder) => recipeFiles[`${folder}/usage.md`] ?? "")
      const sections = manuals.flatMap((manual) => manual.split(/^## /m))
      const title = `${project.kind}\n`
      return withWords(sections.find((section) => section.startsWith(title)) ?? "")
        .slice(title.length)
        .trim()
    },
  }
}

/** Sorts the imports of the project's own modules, because their names depend on the project's words. */
function withSortedImports(text: string): string {
  const lines = text.split("\n")
  const path = (line: string) => line.slice(line.indexOf('"'))
  const isOwn = (line: string) => line.startsWith("import ") && path(line).startsWith('"./')
  const at = lines.findIndex(isOwn)
  const [first = "", second = ""] = lines.slice(at, at + 2)
  if (isOwn(first) && isOwn(second) && path(second) < path(first)) lines.splice(at, 2, second, first)
  return lines.join("\n")
}

/** Recipes are TypeScript files in several folders; a project is a single folder. */
const inLanguage: Record<Language, Substitutions> = {
  typescript: { '"../server/': '"./', '"../page/': '"./' },
  javascript: {
    ...{ '"../server/': '"./', '"../page/': '"./' },
    '<script type="module" src="script.ts">': '<script src="script.js" defer>',
    "Then open http://localhost:8080.": "Then open http://localhost:8080, or `index.html` without a server.",
    "```ts": "```js",
    '.ts"': '.js"',
    "node cli.ts": "node cli.js",
    'import { stripTypeScriptTypes } from "node:module"\n': "",
    "  // Browsers know no TypeScript: they get the script without its types.\n": "",
    'stripTypeScriptTypes(read("./script.js"))': 'read("./script.js")',
  },
}
