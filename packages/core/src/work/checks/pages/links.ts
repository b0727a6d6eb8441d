import { extensionOf, nameOf } from "../facts/file-kinds.ts"
import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import type { Link } from "../facts/markup.ts"
import { isMade, resolveAddress, withoutQuery } from "../facts/paths.ts"
import { faultsOf, type Project } from "../facts/project.ts"

/** Finds links from pages and stylesheets to missing files. */
export function checkLinks(project: Project): Finding[] {
  const isStatic = [...project.files.keys()].every((path) => STATIC.has(extensionOf(path)))
  return faultsOf(project, "markup", (path, { links }) =>
    links.flatMap((link) => checkLink(project, path, link, isStatic)),
  )
}

/** Extensions of files in a project that is served without a build. */
const STATIC = new Set(["html", "htm", "css", "js", "mjs", "json", "svg", "png", "jpg", "ico", "md", "txt", ""])
const ASSETS = new Set(
  "css js mjs html htm svg png jpg jpeg gif webp avif ico woff woff2 webmanifest json mp3 mp4".split(" "),
)

function checkLink(project: Project, path: string, { url, line }: Link, isStatic: boolean): Fault[] {
  const { files } = project
  const address = withoutQuery(url)
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)|[{}$%<>\s]/i.test(address) || !ASSETS.has(extensionOf(address))) return []
  const wanted = resolveAddress(path, url)
  if (wanted === undefined || files.has(wanted) || isMade(project, wanted)) return []
  const isServedElsewhere = !isStatic && [...files.keys()].some((other) => other.endsWith(`/${wanted}`))
  const isByName = !isStatic && [...files.keys()].some((other) => nameOf(other) === nameOf(wanted))
  if (isServedElsewhere || isByName || isMentioned(files, nameOf(wanted))) return []
  return [faultAt(line, "missing_file", missing(url, wanted))]
}

function missing(url: string, wanted: string): string {
  return `there is no file "${url}"${url === wanted ? "" : `: the project has no ${wanted}`}.`
}

const BUILDS =
  /(?:^|\/)(?:package\.json|makefile|dockerfile|gulpfile[^/]*|[^/]*\.config\.[cm]?[jt]s|[^/]*\.(?:sh|py|go|rb|php|java|rs))$/i

/** Returns true if one of the files may build or serve the project. */
export function isBuilt(paths: Iterable<string>): boolean {
  return [...paths].some((path) => BUILDS.test(path))
}

/**
 * Returns true if a file that builds or serves the project mentions this file's name, and thus may generate the file.
 */
function isMentioned(files: Project["files"], name: string): boolean {
  return [...files].some(([path, text]) => BUILDS.test(path) && text?.includes(name))
}
