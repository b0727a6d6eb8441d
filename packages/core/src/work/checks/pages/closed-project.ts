import type { Project } from "../facts/project.ts"

/** Matches styles and scripts from other sites or packages, because they may define any names. */
const FROM_ELSEWHERE =
  /<(?:link|script)\b[^<>]*\b(?:href|src)\s*=\s*["']?(?:(?:https?:)?\/\/|[^"'<>]*(?:node_modules|bower_components)\/)|@import\s+(?:url\(\s*)?["']?(?:https?:|\/\/|[a-z@])|@tailwind|<%|<\?php|\{%/i

/** Returns true if all names in a project's pages come from the project's own files. */
export function isClosed({ files }: Project): boolean {
  return [...files].every(([path, text]) => {
    if (path.endsWith("package.json")) return !/"(?:dev|peer)?[dD]ependencies"\s*:\s*\{\s*"/.test(text ?? "")
    return text === null || !FROM_ELSEWHERE.test(text)
  })
}
