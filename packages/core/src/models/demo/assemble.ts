import { packageName } from "./name.ts"
import type { Project, ProjectFile, Recipe } from "./project.ts"
import { recipes } from "./recipes/registry.ts"
import { blocks, quoted, source } from "./source.ts"

/** Every file of a project, whole and in the order in which they are best read; the package file and README are last. */
export function projectFiles(project: Project): ProjectFile[] {
  const recipe = recipes[project.topic]
  const files = recipe.files(project)
  return [...files, packageFile(project, recipe, files), readme(project, recipe, files)]
}

export const madeBy =
  "Made by rule by Switchyard's scripted demo model, not by a language model; set a model key to work with a real one."

function packageFile(project: Project, recipe: Recipe, files: ProjectFile[]): ProjectFile {
  const purpose = "Names the project and how to start and test it; there is nothing to install."
  return project.language === "python"
    ? { path: "pyproject.toml", purpose, content: pyproject(project, recipe, files) }
    : { path: "package.json", purpose, content: packageJson(project, recipe, files) }
}

function packageJson(project: Project, recipe: Recipe, files: ProjectFile[]): string {
  const typescript = project.language === "typescript"
  const start = startFile(files)
  const quietly = start === "serve.ts" ? "--disable-warning=ExperimentalWarning " : ""
  // A Node that can't read TypeScript finds no tests by itself, and calls that a success. Named, it must find them.
  const test = typescript ? 'node --test "*.test.ts"' : "node --test"
  const manifest = {
    name: packageName(project.name, project.topic),
    version: "0.1.0",
    description: recipe.summary,
    private: true,
    type: "module",
    ...(project.kind === "library" ? { exports: `./${files[0]?.path}` } : {}),
    scripts: { ...(start ? { start: `node ${quietly}${start}` } : {}), test },
    engines: { node: typescript ? ">=24" : ">=20.11" },
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

function pyproject(project: Project, recipe: Recipe, files: ProjectFile[]): string {
  const name = packageName(project.name, project.topic)
  const modules = files.map(({ path }) => path).filter((path) => path.endsWith(".py") && !path.startsWith("test_"))
  const about = source`
    [project]
    name = ${quoted(name)}
    version = "0.1.0"
    description = ${quoted(recipe.summary)}
    requires-python = ">=3.9"
    dependencies = []
  `
  const command = source`
    [project.scripts]
    ${name} = "cli:main"
  `
  const build = source`
    [build-system]
    requires = ["setuptools>=61"]
    build-backend = "setuptools.build_meta"

    [tool.setuptools]
    py-modules = [${modules.map((path) => quoted(path.replace(/\.py$/, ""))).join(", ")}]
  `
  return blocks(about, project.kind === "cli" && command, build)
}

function readme(project: Project, recipe: Recipe, files: ProjectFile[]): ProjectFile {
  const python = project.language === "python"
  const fence = "```"
  const content = source`
    # ${project.name}

    ${recipe.summary}

    Needs ${python ? "Python 3.9 or newer" : `Node.js ${project.language === "typescript" ? 24 : 20} or newer`} and nothing else.

    ## Use

    ${recipe.usage(project)}

    ## Test

    ${fence}sh
    ${python ? "python3 -m unittest" : "npm test"}
    ${fence}

    ## Files

    ${files.map(({ path, purpose }) => `- \`${path}\`: ${purpose}`).join("\n")}

    ---

    ${madeBy}
  `
  return { path: "README.md", purpose: "Says what the project does, how to start it and how to test it.", content }
}

function startFile(files: ProjectFile[]): string | undefined {
  return files.find(({ path }) => /^(server|cli|serve)\./.test(path))?.path
}
