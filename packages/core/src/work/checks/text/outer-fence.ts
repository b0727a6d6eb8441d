import { isProse } from "./answer-text.ts"

/**
 * Removes a code fence that opens on a file's first line and closes on its last line. Prose may itself begin and end
 * with code, so in prose the fence is removed only if its language is Markdown and no other fence has that language.
 */
export function withoutOuterFence(path: string, text: string): string {
  const lines = text.trim().split("\n")
  const [, mark = "", language = ""] = /^(`{3,}|~{3,})[ \t]*([\w+#.-]*)/.exec(lines[0] ?? "") ?? []
  if (mark === "" || lines.length < 3 || lines.at(-1)?.trimEnd() !== mark) return text
  const inner = lines.slice(1, -1)
  const isOther = (line: string) => MARKDOWN.test(/^(?:`{3,}|~{3,})(.*)/.exec(line)?.[1]?.trim() ?? "")
  if (isProse(path) && (!MARKDOWN.test(language) || inner.some(isOther))) return text
  return `${inner.join("\n")}\n`
}

const MARKDOWN = /^(?:md|mdx|markdown)$/i
