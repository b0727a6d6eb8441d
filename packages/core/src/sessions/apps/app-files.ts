import type { Manifest, ManifestFile } from "../../files/workspaces/manifest.ts"
import { formatBytes } from "../../text/format.ts"
import { isSecretName } from "../secret-names.ts"

/** The session's files that belong to its app. All of their paths begin with `folder`. */
export interface AppFiles {
  /** Folder of the app, with a trailing slash. Empty if the app is the whole project. */
  folder: string
  files: ManifestFile[]
  /** Paths of the session's other files. */
  leftOut: string[]
  sizeBytes: number
}

/** Names of folders that builds write pages to. */
export const BUILD_FOLDERS: readonly string[] = ["dist", "build", "out"]

const MAX_APP_FILES = 2000
const MAX_APP_BYTES = 50_000_000

/** Returns the files to publish, or undefined if there is no `index.html`. Prefers a build's output to its sources. */
export function findAppFiles({ files }: Manifest): AppFiles | undefined {
  const pages = files.map(({ path }) => path).filter((path) => /(^|\/)index\.html$/.test(path) && isPublic(path))
  const [page] = pages.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  if (page === undefined) return undefined
  const folder = page.slice(0, -"index.html".length)
  const chosen = files.filter(({ path }) => path.startsWith(folder) && isPublic(path.slice(folder.length)))
  const paths = new Set<string>(chosen.map(({ path }) => path))
  return {
    folder,
    files: chosen,
    leftOut: files.map(({ path }) => path).filter((path) => !paths.has(path)),
    sizeBytes: chosen.reduce((sum, { size }) => sum + size, 0),
  }
}

/** Explains why an app is too large. Undefined if it isn't. */
export function appSizeProblem({ files, sizeBytes }: AppFiles): string | undefined {
  if (files.length > MAX_APP_FILES)
    return `The app has ${files.length.toLocaleString("en")} files. At most ${MAX_APP_FILES.toLocaleString("en")} can be published.`
  if (sizeBytes > MAX_APP_BYTES)
    return `The app has ${formatBytes(sizeBytes)}. At most ${formatBytes(MAX_APP_BYTES)} can be published.`
}

/** Returns the rank of a page: build output comes first, then the pages closest to the root. */
function rank(page: string): number {
  const folders = page.split("/").slice(0, -1)
  const isBuilt = BUILD_FOLDERS.includes(folders.at(-1) ?? "")
  return folders.length + (isBuilt ? 0 : 100)
}

/**
 * Extensions of files that browsers load. All other files stay private, because a project may contain anything: keys,
 * databases, notes.
 */
const WEB_FILE =
  /\.(?:html?|css|m?js|json|txt|xml|md|csv|webmanifest|wasm|svg|png|jpe?g|gif|webp|avif|ico|bmp|woff2?|ttf|otf|eot|mp3|mp4|m4a|m4v|ogg|oga|ogv|wav|webm|flac|aac|vtt|pdf|glb|gltf|bin|obj|mtl|stl|geojson|topojson|glsl|vert|frag|wgsl|atlas|fnt)$/i

/** Names of files and folders that are only needed for development. */
const DEVELOPMENT =
  /^(?:\..*|node_modules|bower_components|__pycache__|venv|coverage|tests?|__tests__|package(?:-lock)?\.json|npm-shrinkwrap\.json|composer\.json|deno\.json|[tj]sconfig\.json|biome\.json|(?:readme|changelog|contributing|agents|claude|gemini|todo|notes)\.(?:md|txt)|requirements(?:-dev)?\.txt|cmakelists\.txt)$/i
const DEVELOPMENT_END = /\.(?:test|spec|config|conf)\.m?js$/i

/** True if a file may be published. `path` is relative to the published folder. */
function isPublic(path: string): boolean {
  const names = path.split("/")
  const checked = names[0] === ".well-known" ? names.slice(1) : names
  return WEB_FILE.test(path) && !checked.some(isPrivate)
}

function isPrivate(name: string): boolean {
  return DEVELOPMENT.test(name) || DEVELOPMENT_END.test(name) || isSecretName(name)
}
