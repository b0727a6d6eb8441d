import type { Project, ProjectFile, Recipe } from "./project.ts"
import { packageName } from "./project-name.ts"

export function packageFile(project: Project, recipe: Recipe, files: ProjectFile[]): ProjectFile {
  const typescript = project.language === "typescript"
  const start = files.find(({ path }) => /^(server|cli|serve)\./.test(path))?.path
  const quietly = start === "serve.ts" ? "--disable-warning=ExperimentalWarning " : ""
  // Name the tests explicitly: a Node that can't read TypeScript wouldn't find any by itself and would report success.
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
  return {
    path: "package.json",
    purpose: "Names the project and how to start and test it; there is nothing to install.",
    content: `${JSON.stringify(manifest, null, 2)}\n`,
  }
}
