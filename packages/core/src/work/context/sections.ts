/** A file as the model is shown it. */
export interface ShownFile {
  path: string
  text: string
}

/** What the model says to a part of the context. */
export const ACKNOWLEDGED = "Ok."

/** The map of the repository, after the system prompt. */
export function mapSection(map: string): string {
  return `# Repository Structure\n\nBelow is a map of the repository showing classes, functions, and their relationships.\nUse this to understand the codebase structure and find relevant code.\n\n${map}`
}

/** The list of all files, sorted and flat. */
export function treeSection(paths: readonly string[]): string {
  const list = [...paths].sort().join("\n")
  return `# Repository Files\n\nComplete list of files in the repository:\n\n# File Tree (${paths.length} files)\n\n${list}`
}

/** The files that a person selected, in full. */
export function workingFilesSection(files: readonly ShownFile[]): string {
  return `# Working Files\n\nHere are the files:\n\n${filesText(files)}`
}

/** Files in order of their paths, each in a fence that none of its own lines can end. */
function filesText(files: readonly ShownFile[]): string {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  return sorted.map(fileText).join("\n\n")
}

function fileText({ path, text }: ShownFile): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([fence]) => fence.length))
  const fence = "`".repeat(longest + 1)
  return `${path}\n${fence}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${fence}`
}
