import type { Project } from "../facts/project.ts"

/** Styles and scripts of other sites or packages, which can have any name. */
const FROM_ELSEWHERE =
  /<(?:link|script)\b[^<>]*\b(?:href|src)\s*=\s*["']?(?:(?:https?:)?\/\/|[^"'<>]*(?:node_modules|bower_components)\/)|@import\s+(?:url\(\s*)?["']?(?:https?:|\/\/|[a-z@])|@tailwind|<%|<\?php|\{%/i

/** Whether all names of a project's pages come from its own files. */
export function isClosed({ files }: Project): boolean {
  return [...files].every(([path, text]) => {
    if (path.endsWith("package.json")) return !/"(?:dev|peer)?[dD]ependencies"\s*:\s*\{\s*"/.test(text ?? "")
    return text === null || !FROM_ELSEWHERE.test(text)
  })
}
