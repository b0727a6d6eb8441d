import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import { folderOf } from "../facts/paths.ts"
import { faultsOf, type Project } from "../facts/project.ts"
import type { PythonImport } from "../facts/python-module.ts"

/** Finds imports of project modules that are missing or don't define the imported names. */
export function checkPythonImports(project: Project): Finding[] {
  return faultsOf(project, "python", (path, { imports }) =>
    imports.flatMap((one) => (isMadeByBuild(one) ? [] : checkImport(project, path, one))),
  )
}

/** Returns true for version and parser modules, because builds often generate them. */
function isMadeByBuild({ module, names }: PythonImport): boolean {
  return /version|(?:^|\.)_?generated|_pb2|(?:^|\.)_\w+$/.test([module, ...names].join(" "))
}

function checkImport(project: Project, path: string, one: PythonImport): Fault[] {
  const parts = one.module === "" ? [] : one.module.split(".")
  const base = one.level > 0 ? packageAt(path, one.level) : rootOf(project, path, parts[0] ?? "")
  if (base === undefined) return []
  const target = [base, ...parts].filter(Boolean).join("/")
  const file = moduleFile(project, target)
  const shown = `${".".repeat(one.level)}${one.module}`
  if (file === undefined) {
    if (project.folders.has(target) || isCompiled(project, target)) return []
    return [faultAt(one.line, "missing_import", `there is no module "${shown}": the project has no ${target}.py.`)]
  }
  return missingNames(project, target, file, one)
}

function missingNames(project: Project, target: string, file: string, { names, line }: PythonImport): Fault[] {
  const module = project.facts.get(file)
  if (module?.language !== "python" || !module.names) return []
  const own = module.names
  const isThere = (name: string) =>
    own.has(name) ||
    /^__\w+__$/.test(name) ||
    moduleFile(project, `${target}/${name}`) ||
    project.folders.has(`${target}/${name}`)
  return names
    .filter((name) => !isThere(name) && !isCompiled(project, `${target}/${name}`))
    .map((name) => faultAt(line, "missing_export", `${file} doesn't define "${name}".`))
}

/** Returns the folder that a relative import with `level` dots refers to. */
function packageAt(path: string, level: number): string | undefined {
  const segments = folderOf(path).split("/").filter(Boolean)
  return level - 1 > segments.length ? undefined : segments.slice(0, segments.length - level + 1).join("/")
}

/**
 * Returns the folder in which Python finds the first part of a module name. For a script, its own folder comes first.
 * For a file in a package, its own folder isn't searched.
 */
function rootOf(project: Project, path: string, name: string): string | undefined {
  const own = folderOf(path)
  const isScript = !project.files.has(own === "" ? "__init__.py" : `${own}/__init__.py`)
  return [...(isScript ? [own] : []), "", "src"].find((root) => {
    const target = root === "" ? name : `${root}/${name}`
    const file = moduleFile(project, target)
    // If a module has the same name as a library, an import of that name in the module refers to the library.
    return (
      file !== undefined &&
      file !== path &&
      !(project.folders.has(target) && !project.files.has(`${target}/__init__.py`))
    )
  })
}

function moduleFile({ files }: Project, target: string): string | undefined {
  const candidates = target === "" ? ["__init__.py"] : [`${target}.py`, `${target}/__init__.py`]
  return candidates.find((candidate) => files.has(candidate))
}

function isCompiled({ files }: Project, target: string): boolean {
  if (["pyi", "pyx", "c", "so", "pyd", "pxd"].some((extension) => files.has(`${target}.${extension}`))) return true
  const prefix = `${target}.`
  return [...files.keys()].some((path) => path.startsWith(prefix) && /\.(?:so|pyd|cpp|rs)$/.test(path))
}
