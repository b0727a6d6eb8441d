import { markerSignsFor } from "../../files/edits/edit-markers.ts"
import { fenced } from "../../text/fenced.ts"
import { fileTree } from "./file-tree.ts"

/** A file as shown to the model. */
export interface ShownFile {
  path: string
  text: string
}

/** Fixed texts for the model's side of the conversation, such as acknowledgements of parts of the context. */
export const ACKNOWLEDGED = "Ok."
export const UNANSWERED = "[no answer]"
export const URLS_ACKNOWLEDGED = "Ok, I've reviewed the URL content."

/** A page as shown to the model. */
export interface ShownPage {
  url: string
  title: string
  text: string
  summary?: string | undefined
  map?: string
}

/** Maximum number of characters to show of a page or its summary. */
export const MAX_PAGE_CHARS = 4000

/** Returns the section with the repository map, which follows the system prompt. */
export function mapSection(map: string): string {
  return `# Repository Structure\n\nBelow is a map of the repository showing classes, functions, and their relationships.\nUse this to understand the codebase structure and find relevant code.\n\n${map}`
}

/** Returns the section with the part of the repository map that belongs to a lower tier. */
export function mapContinuation(map: string): string {
  return `# Repository Structure (continued)\n\n${map}`
}

/** Returns the section with a tier's files, which haven't changed for a while. */
export function referenceFilesSection(tier: "L0" | "L1" | "L2" | "L3", files: readonly ShownFile[]): string {
  const mark = { L0: " (Stable)", L1: "", L2: " (L2)", L3: " (L3)" }[tier]
  return `# Reference Files${mark}\n\nThese files are included for reference:\n\n${filesText(files)}`
}

/** Returns the section with the pages linked in the conversation or added by a person. */
export function urlSection(pages: readonly ShownPage[]): string {
  const texts = pages.map(({ url, title, text, summary, map }) => {
    const symbols = map ? `\n\n### Symbol Map\n\n${fenced(map)}` : ""
    return `## ${url}\n**${title}**\n\n${(summary ?? text).slice(0, MAX_PAGE_CHARS).toWellFormed()}${symbols}`
  })
  const head = "# URL Context\n\nThe following content was fetched from URLs mentioned in the conversation:\n\n"
  return head + texts.join("\n---\n")
}

/** Returns the section with the file tree, shortened to fit the tree's budget. */
export function treeSection(paths: readonly string[]): string {
  return `# Repository Files\n\nComplete list of files in the repository:\n\n# File Tree (${paths.length} files)\n\n${fileTree(paths).join("\n")}`
}

/** Returns the section with the files selected by a person, in full. */
export function workingFilesSection(files: readonly ShownFile[]): string {
  return `# Working Files\n\nHere are the files:\n\n${filesText(files)}`
}

/** Formats the files, sorted by path. The fence around a file can't be closed by any of the file's lines. */
function filesText(files: readonly ShownFile[]): string {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  return sorted.map(fileText).join("\n\n")
}

function fileText({ path, text }: ShownFile): string {
  const signs = markerSignsFor(text)
  const note =
    signs === undefined ? "" : `\nLines of this file look like markers. Give the markers of its blocks ${signs} signs.`
  return `${path}\n${fenced(text)}${note}`
}
