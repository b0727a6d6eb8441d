import { parseJson } from "../../../text/parse-json.ts"
import { folderOf } from "../facts/paths.ts"

/** Parts of a package.json that checks use. */
export interface Manifest {
  path: string
  folder: string
  json: Record<string, unknown>
  /** Value of the `type` field. */
  type: unknown
  packages: ReadonlySet<string>
  scripts: ReadonlyMap<string, string>
}

/**
 * Reads every valid package.json. In a workspace, each package may use the other packages and the root's dependencies.
 */
export function readManifests(files: ReadonlyMap<string, string | null>): Manifest[] {
  const read = [...files].flatMap(([path, text]) => {
    const json = /(?:^|\/)package\.json$/.test(path) ? parseJson(text ?? "") : undefined
    // Files with invalid syntax are reported by another check.
    return json === undefined ? [] : [{ path, json: record(json) }]
  })
  const names = read.flatMap(({ json }) => (typeof json.name === "string" ? [json.name] : []))
  const ofRoot = read.filter(({ path }) => folderOf(path) === "").flatMap(({ json }) => packagesOf(json))
  return read.map(({ path, json }) => ({
    path,
    folder: folderOf(path),
    json,
    type: json.type,
    packages: new Set([...packagesOf(json), ...ofRoot, ...names]),
    scripts: new Map(Object.entries(record(json.scripts)).map(([name, script]) => [name, String(script)])),
  }))
}

/** Returns the manifest of the package that contains a file. */
export function nearest(manifests: Manifest[], path: string): Manifest | undefined {
  return manifests
    .filter(({ folder }) => folder === "" || path.startsWith(`${folder}/`))
    .reduce<Manifest | undefined>(
      (best, one) => (best && best.folder.length >= one.folder.length ? best : one),
      undefined,
    )
}

/** Returns true if one of the package's dependencies may transform its files. */
export function hasBundler(manifest: Manifest | undefined): boolean {
  return [...(manifest?.packages ?? [])].some((name) =>
    /vite|webpack|rollup|rolldown|esbuild|parcel|next|nuxt|astro|tsup|bun/.test(name),
  )
}

/** Returns the words of each command in a script, without leading variable assignments. */
export function commandsIn(script: string): string[][] {
  const commands = script.split(/&&|\|\||[;|&]/).map((command) => command.trim().split(/\s+/))
  return commands.map((words) => words.filter((word) => !/^[A-Z_][A-Z0-9_]*=/.test(word)))
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

function packagesOf(json: Record<string, unknown>): string[] {
  const groups = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "peerDependenciesMeta"]
  return groups.flatMap((group) => Object.keys(record(json[group])))
}
