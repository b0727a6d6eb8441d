import { isBuiltin } from "node:module"
import { extensionOf, nameOf } from "../facts/file-kinds.ts"
import type { Finding } from "../facts/finding.ts"
import { isTestFile } from "../facts/paths.ts"
import type { Project } from "../facts/project.ts"
import { isClosed } from "./closed-project.ts"

/**
 * Finds stylesheets and page scripts that nothing loads, in a project served without a build. If no page loads any of
 * the project's styles or scripts, reports nothing, because they may belong to pages outside the project.
 */
export function checkUnreachedFiles(project: Project): Finding[] {
  const { files } = project
  const pages = [...files.keys()].filter((path) => /\.html?$/.test(path) && !isTestFile(path))
  if (!isClosed(project) || [...files.values()].some((text) => text && MAKES.test(text))) return []
  if (!pages.some((page) => loadsAny(project, page))) return []
  return [...files].flatMap(([path, text]): Finding[] => {
    const extension = extensionOf(path)
    const isStyle = extension === "css"
    const isScript =
      /^m?[jt]s$/.test(extension) && !path.endsWith(".d.ts") && /\bdocument\./.test(text ?? "") && !isTestFile(path)
    if (!(isStyle || isScript) || text === null || isNamed(project, path)) return []
    const what = isStyle ? "no page, stylesheet or script" : "no page or script"
    const message = `${what} of the project loads ${path}, so it does nothing.`
    const [page] = pages
    return [{ path: pages.length === 1 && page ? page : path, rule: "unreached_file", message }]
  })
}

/** Matches code that computes file names or loads a whole folder. */
const MAKES = /\}\.(?:css|m?js)\b|\+\s*["'`]\.(?:css|m?js)\b|\bimport\.meta\.glob\b|\bimportmap\b/

function loadsAny({ files }: Project, page: string): boolean {
  const text = files.get(page) ?? ""
  return [...files.keys()].some((path) => /\.(?:css|m?[jt]s)$/.test(path) && namePattern(path).test(text))
}

/**
 * Returns a pattern that matches references to a file by its name, either with its extension, without an extension, or
 * with the extension of its source file.
 */
function namePattern(path: string): RegExp {
  const stem = nameOf(path).replace(/\.[^.]+$/, "")
  return new RegExp(`(?<![\\w.-])${RegExp.escape(stem)}(?![\\w-])(?:\\.\\w+)?["'\`?#)\\s>]`)
}

/**
 * Returns true if the file's name is mentioned by a file that may load it. Files that only describe, test or serve this
 * file don't count.
 */
function isNamed({ files, facts }: Project, path: string): boolean {
  const named = namePattern(path)
  const servesOnly = (other: string, text: string) => {
    const script = facts.get(other)
    const isOfNode = script?.language === "javascript" && script.imports.some(({ specifier }) => isBuiltin(specifier))
    return isOfNode && !/<(?:link|script)\b/i.test(text)
  }
  return [...files].some(
    ([other, text]) =>
      other !== path &&
      text !== null &&
      !/\.(?:md|txt)$/.test(other) &&
      !isTestFile(other) &&
      named.test(text) &&
      !servesOnly(other, text),
  )
}
