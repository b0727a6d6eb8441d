import type { Project, ProjectFile, Recipe } from "./project.ts"
import { packageName } from "./project-name.ts"
import { quoted } from "./substitute.ts"

/** The file that names the project for npm or pip. */
export function packageFile(project: Project, recipe: Recipe, files: ProjectFile[]): ProjectFile {
  const purpose = "Names the project and how to start and test it; there is nothing to install."
  return project.language === "python"
    ? { path: "pyproject.toml", purpose, content: pyproject(project, recipe, files) }
    : { path: "package.json", purpose, content: packageJson(project, recipe, files) }
}

function packageJson(project: Project, recipe: Recipe, files: ProjectFile[]): string {
  const typescript = project.language === "typescript"
  const start = files.find(({ path }) => /^(server|cli|serve)\./.test(path))?.path
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
  return [
    "[project]",
    `name = ${quoted(name)}`,
    'version = "0.1.0"',
    `description = ${quoted(recipe.summary)}`,
    'requires-python = ">=3.9"',
    "dependencies = []",
    "",
    ...(project.kind === "cli" ? ["[project.scripts]", `${name} = "cli:main"`, ""] : []),
    "[build-system]",
    'requires = ["setuptools>=61"]',
    'build-backend = "setuptools.build_meta"',
    "",
    "[tool.setuptools]",
    `py-modules = [${modules.map((path) => quoted(path.replace(/\.py$/, ""))).join(", ")}]`,
    "",
  ].join("\n")
}
