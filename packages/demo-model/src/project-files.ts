import { colourLines } from "./colours.ts"
import { packageFile } from "./package-file.ts"
import { pageFiles } from "./page-files.ts"
import type { Kind, Project, ProjectFile, Recipe } from "./project.ts"
import { readme } from "./readme.ts"
import { openRecipe, type RecipeSource } from "./recipe-source.ts"
import { substitute } from "./substitute.ts"
import { recipeOf } from "./topics/registry.ts"

/** Every file of a project, whole and in the order in which they are best read; the package file and README are last. */
export function projectFiles(project: Project): ProjectFile[] {
  const recipe = recipeOf(project)
  const source = openRecipe(recipe, project)
  const { kind } = project
  const files = kind === "page" ? pageFiles(recipe, source, project) : moduleFiles(recipe, source, project, kind)
  const all = [
    ...files,
    packageFile(project, recipe, files),
    readme(project, { summary: recipe.summary, usage: source.usage(), files }),
  ]
  return all.map((file) => ({ ...file, content: coloured(file, project) }))
}

function coloured({ path, content }: ProjectFile, { accent, ground }: Project): string {
  if (path === "README.md" && ground === "black") return substitute(content, { "in light and dark": "on dark paper" })
  return path === "styles.css" ? substitute(content, colourLines(accent, ground)) : content
}

type Part = [name: string, purpose: string]

/** The module and its tests, and what the kind adds to them. */
function moduleFiles(recipe: Recipe, source: RecipeSource, { language }: Project, kind: Kind): ProjectFile[] {
  const { module, purposes } = recipe
  const faces = facesOf(purposes.command)[kind]
  const parts: Part[] =
    language === "python"
      ? [[`${module}.py`, purposes.module(language)], [`test_${module}.py`, purposes.tests], ...faces.python]
      : [[`${module}.ts`, purposes.module(language)], [`${module}.test.ts`, purposes.tests], ...faces.script]
  return parts.map(([part, purpose]) => {
    const name = language === "javascript" ? part.replace(/\.ts$/, ".js") : part
    const text = source.text(name)
    return { path: source.path(name), purpose, content: recipe.refusesNothing ? withoutRefusal(text) : text }
  })
}

function facesOf(command: string): Record<Kind, { script: Part[]; python: Part[] }> {
  return {
    library: { script: [], python: [] },
    page: { script: [], python: [] },
    server: {
      script: [
        ["app.ts", "Answers HTTP requests."],
        ["app.test.ts", "Tests the app over real HTTP."],
        ["server.ts", "Starts the app on a port."],
      ],
      python: [
        ["server.py", "Answers HTTP requests."],
        ["test_server.py", "Tests the server over real HTTP."],
      ],
    },
    cli: {
      script: [
        ["cli.ts", command],
        ["cli.test.ts", "Runs the command as a user does."],
      ],
      python: [
        ["cli.py", command],
        ["test_cli.py", "Runs the command as a user does."],
      ],
    },
  }
}

/** The text without a face's test of a refusal, and without the empty line before that. */
function withoutRefusal(text: string): string {
  return text
    .replace(/\ntest\("says what is wrong.*\n(.+\n)+\}\)\n/, "")
    .replace(/\n {4}def test_says_what_is_wrong.*\n(.+\n)+/, "")
}
