import { type Finding, lineAt } from "../facts/finding.ts"
import { isMade, resolvePath } from "../facts/paths.ts"
import type { Project } from "../facts/project.ts"
import { commandsIn, type Manifest, readManifests } from "./manifests.ts"

/** Finds package.json fields that npm rejects or that refer to missing files or programs. */
export function checkPackageFields(project: Project): Finding[] {
  return readManifests(project.files).flatMap((manifest) => {
    const text = project.files.get(manifest.path) ?? ""
    return faultsOf(project, manifest).map(({ field, message, rule }): Finding => {
      const line = lineAt(text, Math.max(0, text.indexOf(JSON.stringify(field))))
      return { path: manifest.path, line, rule, message: `Line ${line}: ${message}` }
    })
  })
}

interface FieldFault {
  field: string
  rule: Finding["rule"]
  message: string
}

function faultsOf(project: Project, manifest: Manifest): FieldFault[] {
  // Check these fields only in the root package, because npm installs only that package. Nested packages may be
  // samples, or just describe a folder.
  const own = manifest.folder === "" ? [...shapeFaults(manifest), ...entryFaults(project, manifest)] : []
  return [...own, ...programFaults(manifest)]
}

const OF_TEXTS = ["scripts", "dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]

function shapeFaults({ json }: Manifest): FieldFault[] {
  const { name, version } = json
  const faults: FieldFault[] = []
  if (typeof name === "string" && !/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i.test(name)) {
    const message = `"${name}" isn't a valid package name: npm allows lower-case letters, digits, "-", "." and "_".`
    faults.push({ field: "name", rule: "syntax", message })
  }
  if (typeof version === "string" && !/^\d+\.\d+\.\d+(?:[-+].*)?$/.test(version)) {
    const message = `"${version}" isn't a valid version: it needs three numbers, as in 1.0.0.`
    faults.push({ field: "version", rule: "syntax", message })
  }
  for (const field of OF_TEXTS) {
    const value = json[field]
    if (value === undefined) continue
    const isRight =
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((one) => typeof one === "string")
    if (!isRight)
      faults.push({ field, rule: "syntax", message: `"${field}" must be an object whose values are all strings.` })
  }
  return faults
}

/** Finds files named in `main` and `bin` that don't exist, unless a build generates them. */
function entryFaults(project: Project, { folder, json, scripts }: Manifest): FieldFault[] {
  const bins = typeof json.bin === "object" && json.bin !== null ? Object.values(json.bin) : [json.bin]
  const entries = [["main", json.main], ...bins.map((value) => ["bin", value])] as [string, unknown][]
  return entries.flatMap(([field, value]) => {
    const path = typeof value === "string" && /\.[cm]?js$/.test(value) ? resolvePath(folder, value) : undefined
    const isBuilt = [...scripts.keys()].some((name) => /build|prepa/.test(name))
    if (path === undefined || project.files.has(path) || isMade(project, path) || isBuilt) return []
    return [{ field, rule: "missing_file", message: `"${field}" names ${value}, but the project has no such file.` }]
  })
}

/** Programs whose names differ from the names of their packages. */
const PROGRAMS: Record<string, RegExp> = {
  eslint: /eslint/,
  jest: /jest/,
  mocha: /mocha/,
  next: /next/,
  nodemon: /nodemon/,
  prettier: /prettier/,
  "react-scripts": /react-scripts/,
  serve: /serve/,
  tsc: /typescript/,
  "ts-node": /ts-node/,
  tsx: /tsx/,
  vite: /vite/,
  vitest: /vitest/,
}

/** Finds programs that package scripts run, but no dependency provides. */
function programFaults({ packages, scripts }: Manifest): FieldFault[] {
  return [...scripts].flatMap(([name, script]) =>
    commandsIn(script).flatMap(([program = ""]): FieldFault[] => {
      const bringing = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined
      if (!bringing || [...packages].some((one) => bringing.test(one))) return []
      const message = `the script "${name}" runs ${program}, but no dependency provides it.`
      return [{ field: name, rule: "undeclared_package", message }]
    }),
  )
}
