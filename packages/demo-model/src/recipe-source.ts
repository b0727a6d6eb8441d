import type { Language, Project, Recipe } from "./project.ts"
import { recipeFiles } from "./recipe-files.ts"
import { type Substitutions, substitute } from "./substitute.ts"

/** A file of a project under construction, by its name in the recipe. */
export interface RecipeSource {
  path(name: string): string
  text(name: string): string
  /** A section of `usage.md`: the language's own, or else the one for all. */
  usage(): string
}

export function openRecipe(recipe: Recipe, project: Project): RecipeSource {
  const { kind, language, name } = project
  const { folders, differences } = recipe
  const namesIn = (file: string) => ({
    ...recipe.substitutions(file.endsWith(".js") ? "javascript" : language, project),
    "Sample Project": name,
  })
  const pathOf = (file: string) => substitute(file, namesIn(file))
  const substituted = (file: string, text: string) => {
    const variant = substitute(text, { ...inLanguage[language], ...differences })
    return substitute(variant, namesIn(file))
  }

  return {
    path: pathOf,
    text(file) {
      const candidates = folders.flatMap((folder) => [`${folder}/${pathOf(file)}`, `${folder}/${file}`])
      const text = candidates.map((path) => recipeFiles[path]).find((text) => text !== undefined)
      if (text === undefined) throw new Error(`No folder of ${folders.join(", ")} has ${file}.`)
      return substituted(file, text)
    },
    usage() {
      const pages = folders.map((folder) => recipeFiles[`${folder}/usage.md`] ?? "")
      const titles = [`${kind} in ${language}`, kind]
      const sections = pages.flatMap((page) => titles.map((title) => sectionOf(page, title)))
      return substituted("usage.md", sections.find((section) => section !== undefined) ?? "")
    },
  }
}

/** The recipes' pages and manuals are TypeScript's; their code is there in each language. */
const inLanguage: Record<Language, Substitutions> = {
  typescript: {},
  javascript: {
    '<script type="module" src="script.ts">': '<script src="script.js" defer>',
    "```ts": "```js",
    '.ts"': '.js"',
    "node cli.ts": "node cli.js",
  },
  python: {
    '<script type="module" src="script.ts">': '<script src="script.js" defer>',
    "node cli.ts": "python3 cli.py",
    "npm start": "python3 server.py",
  },
}

function sectionOf(page: string, title: string): string | undefined {
  const sections = page.split(/^## /m)
  return sections
    .find((section) => section.startsWith(`${title}\n`))
    ?.slice(title.length)
    .trim()
}
