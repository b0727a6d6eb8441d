import { colourLines } from "./colours.ts"
import { lookLines, withTexts } from "./element-changes.ts"
import { packageFile } from "./package-file.ts"
import { pageFiles } from "./page-files.ts"
import type { Kind, Project, ProjectFile, Recipe } from "./project.ts"
import { readme } from "./readme.ts"
import { openRecipe, type RecipeSource } from "./recipe-source.ts"
import { substitute } from "./substitute.ts"
import { recipeOf } from "./topics/registry.ts"

/** Returns all of a project's files in reading order. The package file and README come last. */
export function projectFiles(project: Project): ProjectFile[] {
  const recipe = recipeOf(project)
  const source = openRecipe(recipe, project)
  const files = project.kind === "page" ? pageFiles(recipe, source, project) : moduleFiles(recipe, source, project)
  const all = [...files, packageFile(project, recipe, files), readme(project, recipe, { usage: source.usage(), files })]
  return all.map((file) => ({ ...file, content: changed(file, project) }))
}

function changed({ path, content }: ProjectFile, { accent, background, elements }: Project): string {
  const isDark = path === "README.md" && background === "black"
  if (isDark) return substitute(content, { "looks, in light and dark": "looks, on dark paper" })
  if (path === "index.html") return withTexts(content, elements)
  if (path !== "styles.css") return content
  return substitute(content, { ...colourLines(accent, background), ...lookLines(elements) })
}

/** Returns the module with its tests, and the files for the project's kind. */
function moduleFiles(recipe: Recipe, source: RecipeSource, { language, kind }: Project): ProjectFile[] {
  const parts: Record<string, string> = {
    [`${recipe.module}.ts`]: recipe.purpose,
    [`${recipe.module}.test.ts`]: "Tests for the module.",
    ...filesOfKind[kind],
  }
  return Object.entries(parts).map(([part, purpose]) => {
    const name = language === "javascript" ? part.replace(/\.ts$/, ".js") : part
    return { path: source.path(name), purpose, content: source.text(name) }
  })
}

const filesOfKind: Record<Kind, Record<string, string>> = {
  library: {},
  page: {},
  server: {
    "app.ts": "Answers HTTP requests.",
    "app.test.ts": "Tests the app over real HTTP.",
    "json-server.ts": "Reads and writes JSON over HTTP.",
    "server.ts": "Starts the app on a port.",
  },
  cli: {
    "cli.ts": "The command.",
    "cli.test.ts": "Runs the command as a user does.",
  },
}
